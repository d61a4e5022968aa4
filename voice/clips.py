"""Single lines of the transcript as sound files, cut out of a game's recordings without coding them again."""

from pathlib import Path

from voice.dossier import Dossier
from voice.recordings import sounds

BEFORE_S, AFTER_S = 0.3, 0.3


def cut_all(dossier: Dossier, folder: Path | None, out: Path) -> int:
    """How many were written, named by place and seat: `0012-seat-3.ogg`. A line that was not recorded has none."""
    found_in, written = sounds(folder), 0
    for place, (line, public) in enumerate(zip(dossier.transcript, dossier.public, strict=True)):
        found = found_in.of(line.seat, max(0.0, line.started_s - BEFORE_S)) if public else None
        if found is not None:
            out.mkdir(parents=True, exist_ok=True)
            recording, second = found
            end_s = second + line.ended_s - line.started_s + BEFORE_S + AFTER_S
            cut(recording.path, second, end_s, out / f"{place:04d}-seat-{line.seat}.ogg")
            written += 1
    return written


def cut(source: Path, from_s: float, to_s: float, path: Path) -> None:
    """From packet to packet of 60 ms."""
    import av

    with av.open(str(source)) as whole, av.open(str(path), "w", format="ogg") as part:
        stream = whole.streams.audio[0]
        copy = part.add_stream_from_template(stream)
        whole.seek(int(from_s * av.time_base))
        first: int | None = None
        for packet in whole.demux(stream):
            if packet.pts is None or packet.time_base is None:
                continue
            at_s = float(packet.pts * packet.time_base)
            if at_s >= to_s:
                break
            if at_s >= from_s:
                first = packet.pts if first is None else first
                packet.pts = packet.dts = packet.pts - first
                packet.stream = copy
                part.mux(packet)
