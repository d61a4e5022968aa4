"""A transcript as WebVTT: one cue an utterance, with its speaker as a voice tag."""

from collections.abc import Sequence

from voice.ports import Utterance


def webvtt(utterances: Sequence[Utterance]) -> str:
    cues = [
        f"{timestamp(one.started_s)} --> {timestamp(max(one.ended_s, one.started_s + 0.1))}\n"
        f"<v {one.seat}>{escape(one.text)}</v>\n"
        for one in sorted(utterances, key=lambda one: one.started_s)
    ]
    return "WEBVTT\n\n" + "\n".join(cues)


def timestamp(seconds: float) -> str:
    """hh:mm:ss.ttt"""
    milliseconds = round(max(0.0, seconds) * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}"


def escape(text: str) -> str:
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())
