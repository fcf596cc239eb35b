"""An export loads again as a benchmark and grades to the accuracy that the report prints."""

import hashlib
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

EVOSCOPE = (sys.executable, "-m", "evoscope.cli.main")
FILES = {
    "finqa": "finqa.json",
    "pubmedqa": "ori_pqal.json",
    "contractnli": "contractnli.json",
}
CONFIG = """
search = "harden"
[benchmark]
kind = "{kind}"
[providers.offline]
kind = "offline"
[models]
task = {{ provider = "offline", model = "reader", temperature = 1.0 }}
analysis = {{ provider = "offline", model = "analyst" }}
mutation = {{ provider = "offline", model = "mutator" }}
gates = {{ provider = "offline", model = "auditor" }}
[harden]
generations = 2
offspring = 4
survivors = 2
"""


def evoscope(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*EVOSCOPE, *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("kind", FILES)
def test_the_export_grades_to_the_reported_accuracy(kind: str, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(CONFIG.format(kind=kind))
    ran = evoscope(tmp_path, "run", "run.toml", "--foreground", "--name", "r")
    assert ran.returncode == 0, ran.stderr
    out = tmp_path / "out"
    exported = evoscope(tmp_path, "export", "r", "-o", str(out))
    assert exported.returncode == 0, exported.stderr
    effect = json.loads(evoscope(tmp_path, "status", "r", "--json").stdout)["effect"]
    cases = out / FILES[kind]
    for name, figure in (
        ("responses", "accuracy_after"),
        ("responses_original", "accuracy_before"),
    ):
        lines = str(out / f"{name}.jsonl")
        graded = evoscope(tmp_path, "grade", kind, lines, "--cases", str(cases), "--json")
        found = json.loads(graded.stdout)
        assert found["accuracy"] == pytest.approx(effect[figure])
    card = json.loads((out / "run_card.json").read_text())
    assert card["files"][cases.name] == hashlib.sha256(cases.read_bytes()).hexdigest()
    assert (
        card["offline"] is True and card["digest"] == evoscope(tmp_path, "digest", "r").stdout[:64]
    )
    hardened = [case for case in card["cases"] if case["status"] == "hardened"]
    assert len(hardened) == effect["hardened"]
    assert all(case["mutations"] for case in hardened)
    assert all(Fraction(c["score_after"]) < Fraction(c["score_before"]) for c in hardened)
    again = evoscope(tmp_path, "export", "r", "-o", str(out))
    assert again.returncode == 2 and "not empty" in again.stderr
