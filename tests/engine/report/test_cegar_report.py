"""Tables, status and export of a cegar run, from the recorded one: nothing is run for them."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from evoscope.engine.benchmarks.code_tasks.sources import Split
from evoscope.engine.errors import DataError, UsageError
from evoscope.engine.export_cegar import contents, export_pool
from evoscope.engine.report.cegar_read import CegarRun, read_cegar
from evoscope.engine.report.cegar_report import cegar_report, pool_rows, spot_rows
from evoscope.engine.report.open_report import open_report
from evoscope.engine.scoring import unchanged
from evoscope.engine.searches.cegar.training import electorate_of
from evoscope.engine.store.cegar import cegar_effect
from evoscope.engine.store.reader import Reader
from tests.recorded_kit import recorded


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(recorded("cegar"), tmp_path / "run.evo"))


@pytest.fixture
def reader(path: Path) -> Iterator[Reader]:
    with Reader(path) as opened:
        yield opened


@pytest.fixture
def run(reader: Reader) -> CegarRun:
    return read_cegar(reader)


def test_status_says_what_the_report_derives_from_the_outcomes(
    reader: Reader, run: CegarRun
) -> None:
    effect = cegar_effect(reader)
    table = cegar_report(run, None, {}).tables["effect"]
    names = [column.name for column in table.columns]
    pool = dict(zip(names, table.rows[0], strict=True))
    assert pool["flag"] == "the pool" and pool["split"] == "training"
    assert pool["Delta"] == float(effect["delta"])
    assert pool["p"] == float(effect["p"])
    assert pool["flags"] == effect["flags"]
    assert pool["% of headroom"] == float(100 * effect["headroom_share"])
    assert effect["pool"] == len(run.admitted) == 2
    assert effect["abandoned_targets"] == 1


def test_the_ledger_has_a_row_for_every_attempt_and_the_gate_its_figures(run: CegarRun) -> None:
    table = cegar_report(run, None, {}).tables["gate_ledger"]
    assert len(table.rows) == sum(r.calls for r in run.rounds) == run.calls
    assert sum(row[3] == "admitted" for row in table.rows) == 2
    for row in table.rows:
        consulted = row[3] in ("admitted", "admission")
        assert (row[4] is not None) == consulted


def test_blind_spots_that_are_left_hold_right_and_wrong_programs_of_one_signature(
    run: CegarRun,
) -> None:
    correct = run.training.split.correct
    assert run.spots
    for spot in run.spots:
        assert all(correct[m] for m in spot.correct)
        assert not any(correct[m] for m in spot.incorrect)
        for operator in run.admitted:
            assert len({run.training.columns[operator.node][m] for m in spot.members}) == 1
    assert [row["incorrect"] for row in spot_rows(run)] == [len(s.incorrect) for s in run.spots]


def test_composition_enumerates_the_pool_and_scores_the_pair_as_the_pool(run: CegarRun) -> None:
    tables = cegar_report(run, None, {}).tables
    values = dict(tables["landscape"].rows[:2])  # type: ignore[arg-type]
    assert values == {"subsets": 3, "of these vacuous": 2}
    oracle = next(row for row in tables["criteria"].rows if str(row[0]).startswith("oracle"))
    assert oracle[1] == "1 2" and oracle[4] == tables["effect"].rows[0][4]


def test_the_report_opens_without_held_out_figures_and_says_so(path: Path) -> None:
    report = open_report(path)
    assert any("evoscope score" in line for line in report.banner)
    assert {row[1] for row in report.tables["effect"].rows} == {"training"}


def test_the_archive_lists_the_pool_with_its_training_figures(run: CegarRun) -> None:
    for row, operator in zip(pool_rows(run), run.admitted, strict=True):
        assert row["node"] == operator.node
        assert isinstance(row["helped"], int) and row["helped"] >= 3
        assert Fraction(str(row["delta"])) > 0


def test_an_export_is_whole_python_that_imports_nothing_of_ours(
    run: CegarRun, path: Path, tmp_path: Path
) -> None:
    texts = contents(run)
    for name, text in texts.items():
        if name.endswith(".py"):
            compile(text, name, "exec")
            assert "evoscope." not in text.replace("evoscope_pool", "")
            assert "from .." not in text
    assert sum(name.startswith("evoscope_pool/operators/target") for name in texts) == 2
    files = export_pool(path, tmp_path / "pool")
    assert {str(f.relative_to(tmp_path / "pool")) for f in files} == set(texts)
    with pytest.raises(UsageError, match="in use"):
        export_pool(path, tmp_path / "pool")


def test_changed_task_files_are_refused_before_anything_is_held_out(run: CegarRun) -> None:
    split = run.training.split
    seen = Split(split.tasks, split.samples)
    unchanged(Path("run.evo"), seen, electorate_of(seen))
    name = split.tasks[0].id
    other = Split(split.tasks, {**split.samples, name: split.samples[name][1:]})
    with pytest.raises(DataError, match="have changed since the search"):
        unchanged(Path("run.evo"), other, electorate_of(seen))


def unpacked(run: CegarRun, folder: Path) -> None:
    for name, text in contents(run).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


OBSERVED = """
import json, sys
from evoscope_pool import Context, codec
programs = {
    "counter": "from collections import Counter\\ndef f(x): return Counter(x)",
    "object": "class A: pass\\ndef f(x): return [A()]",
    "exits": "import os\\ndef f(x): os._exit(0) if x == 'b' else None\\n",
    "dies": "import os, signal\\ndef f(x): os.kill(os.getpid(), signal.SIGSEGV)",
    "endless": "def f(x):\\n while x == 'b': pass",
    "nothing": "",
    "hoards": "def f(x): return len(bytearray(1 << 30)) if x == 'b' else None",
    "long": "def f(x): return 'a' * 70_000",
    "keeps": "seen = []\\ndef f(x): seen.append(x); return seen",
}
task = {"id": "t", "visible": ["assert f('a') == 1"], "entry_point": "f"}
ctx = Context(task, list(programs.values()))
said = {}
for number, name in enumerate(programs):
    seen = ctx.observe(number, [codec.encode((letter,)) for letter in "abc"])
    said[name] = [repr(codec.decode(told)) if ok else told for ok, told in seen]
pair = ctx.observe(1, [codec.encode(("a",)), codec.encode(("b",))])
first, second = (codec.decode(told) for _, told in pair)
said["equal"] = [first == second]
json.dump(said, sys.stdout)
"""


def test_an_exported_pool_tells_values_and_ends_of_runs_apart_as_the_sandbox_does(
    run: CegarRun, tmp_path: Path
) -> None:
    unpacked(run, tmp_path)
    (tmp_path / "observed.py").write_text(OBSERVED, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "observed.py"], cwd=tmp_path, capture_output=True, check=True
    )
    opaque, late = "[<opaque A>]", "timeout"
    assert json.loads(done.stdout) == {
        "counter": [f"Counter({{{letter!r}: 1}})" for letter in "abc"],
        "object": [opaque] * 3,
        "exits": ["None", "no_result", "None"],
        "dies": ["crash(SIGSEGV)"] * 3,
        "endless": ["None", late, late],
        "nothing": ["error(NameError)"] * 3,
        "hoards": ["None", "memory", "None"],
        "long": ["output_limit"] * 3,
        "keeps": [f"[{letter!r}]" for letter in "abc"],
        "equal": [False],
    }


LIMITED = """
import json, sys
import evoscope_pool
from evoscope_pool import verdict
evoscope_pool.POOL["cpu_s"] |= {"operator": 0.3, "observations": 0.25, "peer": 0.1}
operators = {
    "flags": (1, "def op(task, code): return 'flag'"),
    "endless": (1, "def op(task, code):\\n while True: pass"),
    "raises": (1, "def op(task, code): raise SystemExit"),
    "no word": (1, "def op(task, code): return ['flag']"),
    "hoards": (1, "def op(task, code):\\n bytearray(1 << 30)\\n return 'flag'"),
    "prints": (1, "def op(task, code):\\n print('x' * 100_000)\\n return 'pass'"),
    "hashed": (1, "def op(task, code): return 'flag' if hash('a') == %d else 'pass'"),
    "asks": (2, "def op(task, code, ctx): return 'flag' if ctx.run(0, ('a',)).ok else 'pass'"),
    "too often": (2, "def op(task, code, ctx):\\n try: ctx.run_many(0, [('a',)] * 601)\\n"
                     " finally: return 'flag'"),
    "too long": (2, "def op(task, code, ctx):\\n"
                    " for one in ctx.peers: ctx.run(one, ('a',))\\n return 'flag'"),
    "not so long": (2, "def op(task, code, ctx):\\n ctx.run(1, ('a',))\\n return 'flag'"),
    "no peer": (2, "def op(task, code, ctx):\\n try: ctx.run(-1, ('a',))\\n"
                   " finally: return 'flag'"),
}
task = {"id": "t", "prompt": "", "visible": ["assert f('a') == 1"], "entry_point": "f"}
endless = [f"def f(x):\\n while True: {n}" for n in range(4)]
said = {}
for name, (level, source) in operators.items():
    (evoscope_pool._HERE / "operators" / "one.py").write_text(
        source % int(sys.argv[1]) if name == "hashed" else source
    )
    one = {"name": name, "level": level, "file": "operators/one.py"}
    said[name] = verdict(one, task, "def f(x): return 1", endless)
json.dump(said, sys.stdout)
"""


def test_an_exported_operator_abstains_where_it_takes_too_long_and_hashes_as_in_the_sandbox(
    run: CegarRun, tmp_path: Path
) -> None:
    unpacked(run, tmp_path)
    (tmp_path / "limited.py").write_text(LIMITED, encoding="utf-8")
    hashed = subprocess.run(
        [sys.executable, "-c", "print(hash('a'))"], env={"PYTHONHASHSEED": "0"},
        capture_output=True, check=True,
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "limited.py", hashed.stdout.decode().strip()],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    assert not done.stderr
    limits = json.loads((tmp_path / "evoscope_pool/pool.json").read_text())["cpu_s"]
    assert (limits["operator"], limits["observations"]) == (5.0, 30.0)
    assert json.loads(done.stdout) == {
        "flags": "flag", "endless": "abstain", "raises": "abstain", "no word": "abstain",
        "hoards": "abstain", "prints": "abstain", "hashed": "flag", "asks": "flag",
        "too often": "abstain", "too long": "abstain", "not so long": "flag", "no peer": "abstain",
    }  # fmt: skip
