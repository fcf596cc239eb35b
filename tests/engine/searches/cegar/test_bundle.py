"""Cegar on answers that are no programs: splits, labels, screens, and a run on the engine."""

import asyncio
import json
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from evoscope.engine.benchmarks.code_tasks.operate import Given, operator_job, read_answer
from evoscope.engine.errors import DataError
from evoscope.engine.export_cegar import export_pool
from evoscope.engine.model.outcomes import Outcomes, Place
from evoscope.engine.report.cegar_read import read_cegar
from evoscope.engine.report.cegar_report import cegar_report
from evoscope.engine.searches.cegar.screens.texts import screen_texts
from evoscope.engine.searches.cegar.search import run
from evoscope.engine.store.reader import Reader
from tests.engine.searches.cegar import trains
from tests.engine.searches.cegar.small import providers
from tests.engine.searches.cegar.test_search import admitted
from tests.replay_kit import Kit
from tests.sandbox_outcomes import OutcomeServer, ServedOutcomes


@pytest.fixture
def kit(tmp_path: Path, server: OutcomeServer) -> Kit:
    return Kit(
        lambda: partial(run, setup=trains.setup()),
        tmp_path,
        providers,
        executor=lambda: ServedOutcomes(server, 1),
    )


def test_splits_part_the_tasks_and_stay_with_their_seed() -> None:
    first, second = trains.splits()
    assert len(first.tasks) == 10 and len(second.tasks) == 10
    assert not {t.id for t in first.tasks} & {t.id for t in second.tasks}
    assert {len(texts) for texts in first.samples.values()} == {8}
    again, _ = trains.splits(split_seed=trains.SEED)
    other, _ = trains.splits(split_seed=7)
    assert [t.id for t in again.tasks] == [t.id for t in first.tasks]
    assert [t.id for t in other.tasks] != [t.id for t in first.tasks]


def test_a_bundle_beside_sources_or_without_held_out_tasks_is_refused() -> None:
    source = {"tasks": "a.jsonl", "samples": ["b.jsonl"]}
    with pytest.raises(DataError, match=r"cegar\.bundle: there are cegar\.sources"):
        trains.splits(sources=[source])
    with pytest.raises(DataError, match=r"cegar\.bundle: no task is left"):
        trains.splits(bundle={"path": trains.FOLDER, "training": 20})


def test_a_run_admits_an_operator_replays_and_hides_what_is_hidden(kit: Kit) -> None:
    path = kit.file("trains")
    assert kit.finish(path, 1).state == "finished"
    assert admitted(path)
    verified = kit.verify(path)
    assert verified.ok, verified.mismatches
    other = kit.file("again")
    kit.finish(other, 2)
    assert kit.digest(other) == kit.digest(path)
    with Reader(path) as reader:
        asked = [reader.text(blob) for (blob,) in reader.rows("SELECT request_blob FROM call")]
        items = [reader.text(h) for (h,) in reader.rows("SELECT content_hash FROM item")]
    assert asked and all("minutes" in request for request in asked)
    everything = "".join((*asked, *items)).replace("\\", "")
    assert '"prompt"' in everything
    assert '"hidden"' not in everything and '"arrival"' not in everything


def test_over_raw_samples_targets_hold_faults_of_both_kinds(
    tmp_path: Path, server: OutcomeServer
) -> None:
    raw = Kit(
        lambda: partial(run, setup=trains.setup(signatures="raw")),
        tmp_path,
        providers,
        executor=lambda: ServedOutcomes(server, 1),
    )
    path = raw.file("raw")
    assert raw.finish(path, 1).state == "finished"
    assert raw.verify(path).ok
    with Reader(trains.described(path, signatures="raw")) as reader:
        found = read_cegar(reader)
    assert "fails the visible checks; passes" in found.rounds[0].fault
    assert len(found.training.split.correct) > len(found.training.split.accepted)
    assert cegar_report(found, None, {}).tables["splits"].rows[0][4] == len(
        found.training.split.accepted
    )


def test_its_report_counts_only_answers_that_pass_the_visible_check(kit: Kit) -> None:
    path = kit.file("trains")
    kit.finish(path, 1)
    with Reader(trains.described(path)) as reader:
        found = read_cegar(reader)
    texts = [text for own in trains.splits()[0].samples.values() for text in own]
    timed = sum(":" in text for text in texts)
    assert len(texts) - timed > 0
    table = cegar_report(found, None, {}).tables["splits"]
    assert table.rows[0][3:5] == (len(texts), timed)
    assert not found.starting


SCRIPT = (
    "import json, sys\nfrom evoscope_pool import ELECTORATE, score\n"
    "out = {t: [score(v, c, v['peers'])['verdicts'] for c in v['peers']]"
    " for t, v in ELECTORATE['tasks'].items()}\njson.dump(out, sys.stdout)\n"
)


def test_an_exported_pool_says_the_same_of_every_answer(kit: Kit, tmp_path: Path) -> None:
    path = kit.file("trains")
    kit.finish(path, 1)
    export_pool(trains.described(path), tmp_path / "pool")
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path / "pool", capture_output=True, check=True
    )
    outside = json.loads(said.stdout)
    with Reader(path) as reader:
        found = read_cegar(reader)
    for operator in found.admitted:
        for member, verdict in found.training.columns[operator.node].items():
            assert outside[member.task][member.sample][operator.node] == verdict.name.lower()
    assert found.admitted


def test_a_level_2_operator_reads_the_other_answers_and_can_run_none(
    server: OutcomeServer,
) -> None:
    task = trains.splits()[0].tasks[0]
    given = Given(("12:00", "13:00"), (), 0)
    reads = "def op(task, text, ctx):\n    return 'flag' if ctx.sources == ['1', '12:00', '13:00']"
    reads += " and task['minutes'] > 0 and 'hidden' not in task else 'pass'\n"
    assert read_answer(server.settle(operator_job(reads, task, "1", given))) == ("flag", "")
    runs = "def op(task, text, ctx):\n    return 'flag' if ctx.run(1, ()).ok else 'pass'\n"
    answer, reason = read_answer(server.settle(operator_job(runs, task, "1", given)))
    assert answer == "abstain" and "IndexError" in reason


def test_a_checker_that_answers_no_bool_is_named_and_ends_the_run(
    tmp_path: Path, server: OutcomeServer
) -> None:
    folder = Path(shutil.copytree(trains.FOLDER, tmp_path / "broken"))
    (folder / "checker.py").write_text("def check(task, text):\n    return 1\n")
    training, _ = trains.splits(bundle={"path": folder, "training": 10})
    from evoscope.engine.searches.cegar.training import labelled

    async def settle(place: Place, work: object) -> Outcomes:
        return await work(ServedOutcomes(server).settle)  # type: ignore[operator, no-any-return]

    with pytest.raises(DataError, match=r"checker\.py, check on task train-"):
        asyncio.run(labelled(training, settle))


TEXTS = {
    "t1": ("When does the night train arrive?", "It arrives at 13:05.", "Quite late, at 14:05."),
    "t2": ("When does the mail train arrive?", "It arrives at 09:10.", "Quite early, at 08:10."),
}
WRONG = ("Quite late, at 14:05.", "Quite early, at 08:10.")
RIGHT = ("It arrives at 13:05.", "It arrives at 09:10.")


def leaks(test: str) -> set[str]:
    """The screens that fire on an operator with one condition."""
    source = '"""It arrives at 13:05."""\n\ndef op(task, text):\n'
    source += f'    return "flag" if {test} else "pass"\n'
    found = screen_texts(
        source, "op", texts=TEXTS, faulty=WRONG, clean=RIGHT, fields={"prompt", "minutes"}
    )
    return {leak.screen for leak in found}


@pytest.mark.parametrize(
    ("test", "screens"),
    [
        ("'13:05' in text", {"pattern fitting"}),
        ("'quite' in text.casefold()", {"fault constant"}),
        ("'Quite late' in text", {"pattern fitting", "fault constant"}),
        ("'mail' in task['prompt']", {"pattern fitting", "prompt keyword"}),
        ("task['minutes'] > 90 and 'arrives' in text", set()),
        ("len(text.split()) > 3", set()),
        ("not any(c.isdigit() for c in text)", set()),
        ("'arrive' in text", set()),
    ],
)
def test_the_screens_let_an_operator_read_and_not_fit(test: str, screens: set[str]) -> None:
    assert leaks(test) == screens


def test_a_bundle_asks_the_author_for_texts_and_a_program_task_for_code(kit: Kit) -> None:
    path = kit.file("trains")
    kit.finish(path, 1)
    with Reader(path) as reader:
        (blob,) = reader.rows("SELECT request_blob FROM call ORDER BY seq LIMIT 1")[0]
        request = json.loads(reader.text(blob))
    assert "op(task, text)" in json.dumps(request)
    assert "programming tasks" not in json.dumps(request)
