"""`moderator bench all`: one report of all figures, compared with the last; a benchmark that fails costs no other."""

import json
from pathlib import Path

import pytest

from voice import bench_report
from voice.cli import main


def test_what_got_worse_is_named_and_the_last_report_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = {"store": {"append_ms": 1.0}, "conduct": {"found": {"bet": 0.9}, "false": 0.01, "rows": 10}}
    figures["narrator"] = {"words": 0.8}
    monkeypatch.setattr(bench_report, "QUICK", {name: [name] for name in figures})
    monkeypatch.setattr(bench_report, "one", lambda words: figures[words[0]])
    assert main(["bench", "all", "--quick", "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["worse"] == []
    figures["store"], figures["conduct"] = {"append_ms": 1.3}, {"found": {"bet": 0.7}, "false": 0.01, "rows": 20}
    figures["narrator"] = {"words": 0.95}
    assert main(["bench", "all", "--quick", "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["worse"] == ["store/append_ms", "conduct/found/bet"]
    page = (tmp_path / "bench-quick.md").read_text(encoding="utf-8")
    assert "| store/append_ms | 1.3 | 1 | 1.30 | worse |" in page and "| conduct/rows | 20 | 10 | 2.00 |  |" in page


def test_a_benchmark_that_fails_is_reported_and_the_rest_is_done(tmp_path: Path) -> None:
    assert "failed" in bench_report.one(["reading", "--rows", str(tmp_path / "none.jsonl")])
    assert bench_report.one(["conduct", "--every", "40", "--half", "test"])["rows"] > 0
