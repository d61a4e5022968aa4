"""Which wish a sentence is, in three languages: one sentence, one meaning; talk is none."""

import json
from pathlib import Path

import pytest
import yaml

from voice.booth_settings import NarratorFile
from voice.config import ROOT, ConfigError, data_path, validated
from voice.grammar import read
from voice.intents import Intent, Sentences, sentences, written_out
from voice.ports import ActKind, Context, Lang, Task

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")
NAME: dict[Lang, str] = {"fr": "Narrateur", "en": "Moderator", "ru": "Ведущий"}
SEATS = tuple(range(1, 11))

ASKED: dict[Lang, dict[str, str]] = {
    "fr": {
        "Narrateur, combien de temps ?": "time",
        "Combien de temps il me reste, s'il vous plaît ?": "time",
        "Euh, combien de temps reste-t-il ?": "time",
        "Répétez.": "repeat",
        "Vous pouvez répéter ?": "repeat",
        "Répétez le vote.": "nominated",
        "Qui est nommé ?": "nominated",
        "Qui est au vote, narrateur ?": "nominated",
        "Moins vite !": "slower",
        "Un peu plus vite, s'il te plaît.": "faster",
        "À qui la parole ?": "speaker",
        "Qui parle ?": "speaker",
        "Qui est vivant ?": "alive",
        "Quel est mon rôle ?": "role",
        "Où en est-on ?": "where",
        "Les règles.": "rules",
        "Aide.": "help",
        "Pause, s'il vous plaît.": "pause",
        "On reprend.": "resume",
        "Mode débutant.": "novice",
        "Niveau expert.": "expert",
        "Autre voix.": "voice",
        "Coupez les sons.": "softer",
        "Apprendre les sons.": "sounds",
    },
    "en": {
        "Moderator, time?": "time",
        "How much time is left?": "time",
        "Please, how long do I have?": "time",
        "Repeat.": "repeat",
        "Could you repeat that?": "repeat",
        "Repeat the nominees.": "nominated",
        "Who is nominated?": "nominated",
        "Who's on the vote, moderator?": "nominated",
        "Slower, please.": "slower",
        "Speed up a bit.": "faster",
        "Whose turn is it?": "speaker",
        "Who is speaking?": "speaker",
        "Who is alive?": "alive",
        "What's my role?": "role",
        "Where are we?": "where",
        "The rules.": "rules",
        "Help!": "help",
        "Can we take a break?": "pause",
        "Let's resume.": "resume",
        "Beginner mode.": "novice",
        "Expert level.": "expert",
        "Another voice.": "voice",
        "Mute the sounds.": "softer",
        "Teach me the sounds.": "sounds",
    },
    "ru": {
        "Ведущий, сколько времени?": "time",
        "Сколько у меня осталось времени?": "time",
        "Извините, сколько времени осталось?": "time",
        "Повторите.": "repeat",
        "Можете повторить?": "repeat",
        "Повторите кандидатов.": "nominated",
        "Кто выставлен?": "nominated",
        "Ведущий, кто на голосовании?": "nominated",
        "Помедленнее, пожалуйста.": "slower",
        "Говорите быстрее.": "faster",
        "Чья очередь?": "speaker",
        "Кто говорит?": "speaker",
        "Кто ещё жив?": "alive",
        "Какая у меня роль?": "role",
        "Что происходит?": "where",
        "Правила игры.": "rules",
        "Помогите!": "help",
        "Прошу паузу.": "pause",
        "Продолжаем.": "resume",
        "Режим новичка.": "novice",
        "Режим эксперта.": "expert",
        "Другой голос.": "voice",
        "Выключите звуки.": "softer",
        "Объясните звуки.": "sounds",
    },
}
"""As players say it, heard by nobody else."""

TALK: dict[Lang, tuple[str, ...]] = {
    "fr": (
        "Plus vite on vote, mieux c'est.",
        "Le six demande toujours combien de temps il lui reste.",
        "Quel est mon rôle là-dedans, je vous le demande, et qui est au vote grâce à lui ?",
        "Le narrateur a dit que le quatre était éliminé.",
        "On connaît les règles, merci.",
        "Temps.",
        "Pause.",
        "Moins vite.",
        "Aide.",
    ),
    "en": (
        "The faster we vote the better.",
        "Six keeps asking how much time is left.",
        "Who is nominated is not the point, what is my role in this is.",
        "The moderator said four is out.",
        "We know the rules, thanks.",
        "Time.",
        "Break.",
        "Slower.",
        "Help.",
    ),
    "ru": (
        "Чем быстрее голосуем, тем лучше.",
        "Шестой всё спрашивает, сколько у него времени.",
        "Кто выставлен, тот пусть и отвечает.",
        "Ведущий сказал, что четвёртый выбыл.",
        "Правила мы знаем, спасибо.",
        "Время.",
        "Пауза.",
        "Медленнее.",
        "Помощь.",
    ),
}
"""Said with the floor."""


@pytest.mark.parametrize(
    ("lang", "text", "meant"), [(lang, text, meant) for lang in LANGS for text, meant in ASKED[lang].items()]
)
def test_what_a_player_asks(lang: Lang, text: str, meant: str) -> None:
    wish = sentences(lang).read(text, aloud=False)
    assert wish is not None
    assert (wish.intent, wish.rest) == (meant, "")


@pytest.mark.parametrize("lang", LANGS)
def test_each_sentence_means_one_thing_and_with_the_floor_needs_the_name_or_is_a_plain_question(lang: Lang) -> None:
    book = sentences(lang)
    assert {intent for _, intent, _ in book} == set(Intent)
    for text, intent, anytime in book:
        for said in (f"{text.capitalize()}.", f"{text} ?", f"{NAME[lang]}, {text}."):
            wish = book.read(said, aloud=False)
            assert wish is not None, said
            assert (wish.intent, wish.rest) == (intent, ""), said
        aloud = book.read(f"{text}.", aloud=True)
        assert (aloud is not None) == anytime, text
        called = book.read(f"{NAME[lang]}, {text}.", aloud=True)
        assert called is not None, text
        assert called.intent is intent, text


@pytest.mark.parametrize("lang", LANGS)
def test_no_act_of_the_game_is_taken_for_a_wish(lang: Lang) -> None:
    path = Path(__file__).parent / f"sentences.{lang}.yaml"
    tasks = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    texts = [text for groups in tasks.values() for lines in groups.values() for text in lines]
    assert len(texts) > 150
    for text in texts:
        assert sentences(lang).read(text, aloud=True) is None, text
        assert sentences(lang).read(text, aloud=False) is None, text


@pytest.mark.parametrize("lang", LANGS)
def test_no_line_of_the_bench_in_which_something_is_done_is_taken_for_a_wish(lang: Lang) -> None:
    lines = (Path(__file__).parent / "bench" / f"hearing.{lang}.dev.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        nothing = not any(value for value in row["gold"].values()) or row["gold"].get("act") == "none"
        if not nothing or row["task"] in ("nomination", "speech", "testament"):
            assert sentences(lang).read(row["text"], aloud=row["task"] == "speech") is None, row["text"]


@pytest.mark.parametrize("lang", LANGS)
def test_no_wish_is_an_act_of_the_game(lang: Lang) -> None:
    """Yes least of all; and a break is no cry that interrupts. (A wish never reaches those who read acts.)"""
    context = Context(1, SEATS, (2, 3), asked=4)
    tasks = (Task.CONFIRM, Task.NOMINATION, Task.TESTAMENT, Task.OUT_OF_TURN)
    for text, _, _ in sentences(lang):
        for task in tasks:
            kinds = {act.kind for act in read(task, lang, f"{text}.", context).acts}
            assert not kinds & {ActKind.YES, ActKind.NOMINATE, ActKind.VOTE, ActKind.END_SPEECH, ActKind.SUSPECT}, text
            assert ActKind.INTERPELLATE not in kinds, text


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("aloud", [True, False])
def test_yes_no_and_numbers_are_no_wishes(lang: Lang, aloud: bool) -> None:
    words = {
        "fr": (
            "Oui.",
            "Non.",
            "Non, le huit.",
            "Ouais.",
            "Quatre.",
            "Le dix.",
            "Je passe.",
            "Narrateur.",
            "Narrateur, non.",
        ),
        "en": ("Yes.", "No.", "No, eight.", "Yeah.", "Four.", "Number ten.", "Pass.", "Moderator.", "Moderator, no."),
        "ru": ("Да.", "Нет.", "Нет, восьмой.", "Ага.", "Четыре.", "Десятый.", "Пас.", "Ведущий.", "Ведущий, нет."),
    }
    for text in (*words[lang], "", " ", "?!", "…", "((", "a" * 3000):
        assert sentences(lang).read(text, aloud=aloud) is None, text


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang in LANGS for text in TALK[lang]])
def test_talk_with_the_floor_is_no_wish(lang: Lang, text: str) -> None:
    assert sentences(lang).read(text, aloud=True) is None


@pytest.mark.parametrize(
    ("lang", "text", "meant", "rest"),
    [
        (
            "fr",
            "Je réfléchis. Narrateur, combien de temps ? Je nomine le six.",
            "time",
            "Je réfléchis. Je nomine le six.",
        ),
        ("fr", "bon je réfléchis narrateur qui est au vote", "nominated", "bon je réfléchis"),
        ("fr", "Le deux ment. Où en est-on, narrateur ?", "where", "Le deux ment."),
        ("en", "I nominate six. Moderator, time? Thank you.", "time", "I nominate six. Thank you."),
        ("ru", "Выставляю шестого. Ведущий, сколько времени?", "time", "Выставляю шестого."),
    ],
)
def test_what_is_said_beside_a_wish_stays_said(lang: Lang, text: str, meant: str, rest: str) -> None:
    wish = sentences(lang).read(text, aloud=True)
    assert wish is not None
    assert (wish.intent, wish.rest) == (meant, rest)


def test_a_template_is_written_out() -> None:
    assert written_out("(a|b (c)?)d", "x") == ["ad", "b cd", "b d"]
    for slip in ("(a", "a)", "(a|b)" * 12):
        with pytest.raises(ConfigError, match="brackets"):
            written_out(slip, "x.yaml")


def test_a_sentence_with_two_meanings_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = data_path("prompts", "commands.fr.yaml").read_text("utf-8")
    (tmp_path / "prompts").mkdir()
    own = tmp_path / "prompts" / "commands.fr.yaml"
    own.write_text(text.replace("- règles\n", "- règles\n    - aide\n"), "utf-8")
    monkeypatch.setenv("MODERATOR_DATA", str(tmp_path))
    with pytest.raises(ConfigError, match="'aide' means both rules and help"):
        Sentences("fr")


def test_the_voices_to_choose_among_are_told_apart() -> None:
    for languages in validated(ROOT.parent / "configs" / "narrator.yaml", NarratorFile).voices.values():
        assert all(len(set(names)) == len(names) > 1 for names in languages.values())
