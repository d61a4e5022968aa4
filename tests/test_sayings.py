"""The sentences of the player who has only his voice are all there, and nothing else is."""

import sayings


def test_each_sentence_has_its_sound() -> None:
    wanted = {sayings.file_of(sentence) for sentence in sayings.everything()}
    assert set(sayings.FOLDER.glob("*.opus")) == wanted, f"what he says has changed: {sayings.CURE}"


def test_no_two_sentences_share_a_sound() -> None:
    assert len({*map(sayings.file_of, sayings.everything())}) == len(sayings.everything())
