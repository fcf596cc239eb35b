"""The search through the replay kit: orders of completion, lost power, vetoes; equal digests."""

import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from evoscope.engine.benchmarks.syn_ledger.operators import OPERATORS
from evoscope.engine.benchmarks.transform.composition import parse
from evoscope.engine.config_file import load_config
from evoscope.engine.errors import ConfigError, UsageError
from evoscope.engine.export_chase import export_harness
from evoscope.engine.plans import first_harness
from evoscope.engine.report.chase_scores import read_sheet
from evoscope.engine.report.open_report import open_report
from evoscope.engine.searches.chase.search import run
from evoscope.engine.store.chase import chase_archive, chase_effect
from evoscope.engine.store.reader import Reader
from tests.engine.searches.chase.arena import Delayed, setup
from tests.replay_kit import Kit, Life

DEMO = Path(__file__).resolve().parents[4] / "examples" / "demo-chase.toml"
SETTINGS: dict[str, Any] = {
    "rounds": 1,
    "methods": ["chase", "compass"],
    "eta": "0",
    "rollouts_conf": 1,
}


def kit(folder: Path) -> Kit:
    return Kit(
        lambda: lambda ctx: run(ctx, setup(SEED, **SETTINGS)),
        folder,
        lambda seed: {"off": Delayed(seed)},
        concurrency=64,
    )


SEED = 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """A run from start to end, its digest and its number of calls."""
    own = kit(tmp_path_factory.mktemp("whole"))
    path = own.file("whole")
    provider = Delayed(1)
    own.providers = lambda seed: {"off": provider}
    assert own.finish(path, 1).state == "finished"
    return path, own.digest(path), len(provider.sent)


def test_another_order_of_completion_gives_the_same_digest(
    tmp_path: Path, whole: tuple[Path, str, int]
) -> None:
    own = kit(tmp_path)
    path = own.file("other")
    assert own.finish(path, 77).state == "finished"
    assert own.digest(path) == whole[1]


def test_a_run_that_lost_its_power_goes_on_and_buys_no_rollout_twice(
    tmp_path: Path, whole: tuple[Path, str, int]
) -> None:
    own = kit(tmp_path)
    path = own.file("cut")
    providers: list[Delayed] = []

    def provider(seed: int) -> dict[str, Delayed]:
        providers.append(Delayed(seed))
        return {"off": providers[-1]}

    own.providers = provider  # type: ignore[assignment]
    for life, cut in enumerate((25, 90, 170)):
        own.live(path, life, Life(stop_after=cut))
    assert own.finish(path, 9).state == "finished"
    assert own.digest(path) == whole[1]
    bought = sum(len(one.sent) for one in providers)
    assert whole[2] <= bought <= whole[2] + 3 * own.concurrency


def test_a_finished_run_verifies_from_its_file_alone(whole: tuple[Path, str, int]) -> None:
    found = kit(whole[0].parent).verify(whole[0])
    assert found.ok, found.mismatches[:3]
    assert found.decisions >= 6


def test_a_veto_between_two_lives_is_followed_the_same_way_again(tmp_path: Path) -> None:
    own = kit(tmp_path)
    path = own.file("veto")
    veto = {"id": "veto-1", "kind": "veto", "args": {"node": "chase/r1/p0"}}
    own.live(path, 3, Life(stop_after=60, commands=[(50, veto)]))
    assert own.finish(path, 4).state == "finished"
    assert own.verify(path).ok


def configured(path: Path) -> dict[str, Any]:
    """Write the demonstration's configuration into a kit's file; gives the certification."""
    meta = {"search": "chase", "name": "shown", "offline": "1", "state": "finished"}
    meta["config"] = load_config(DEMO).model_dump_json()
    with closing(sqlite3.connect(path)) as db, db:
        db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(meta.items()))
        (text,) = db.execute("SELECT result FROM unit WHERE id = 'certification'").fetchone()
    result: dict[str, Any] = json.loads(text)
    return result


def test_the_chosen_harness_leaves_as_a_spec_that_a_run_starts_from(
    tmp_path: Path, whole: tuple[Path, str, int]
) -> None:
    path = kit(whole[0].parent).copy(whole[0], "exported")
    result = configured(path)
    files = {file.name: file for file in export_harness(path, tmp_path / "out")}
    again = load_config(files["run.toml"])
    assert again.chase.harness == files["harness.json"]
    first = first_harness(again.chase.harness)
    with Reader(path) as reader:
        sql = "SELECT content_hash FROM node WHERE id = ?"
        (digest,) = reader.rows(sql, (result["methods"]["chase"]["harness"],))[0]
        assert first.plain() == json.loads(reader.text(digest))
    archive = json.loads(files["archive.json"].read_text())
    assert [one["id"] for one in archive] == result["archive"][1:]
    assert all(parse(one["transformation"], OPERATORS).steps for one in archive)
    with pytest.raises(UsageError, match="not empty"):
        export_harness(path, tmp_path / "out")


def test_a_spec_file_that_is_none_names_its_field(tmp_path: Path) -> None:
    file = tmp_path / "harness.json"
    file.write_text('{"retrieval": {"top_k": 99}}')
    with pytest.raises(ConfigError, match=r"retrieval\.top_k"):
        first_harness(file)


def test_report_archive_and_effect_say_what_the_run_recorded(
    tmp_path: Path, whole: tuple[Path, str, int]
) -> None:
    path = kit(whole[0].parent).copy(whole[0], "shown")
    result = configured(path)
    tables = open_report(path).tables
    rows = {row[0]: row for row in tables["certification"].rows}
    assert set(rows) == {"RawHarness", "HarnessCompass", "CHASE"}
    own = result["methods"]["chase"]
    assert rows["CHASE"][1] == own["harness"]
    assert rows["CHASE"][2] == pytest.approx(100 * float(Fraction(own["r_rel"])))
    assert {"selections", "matrix", "guarantees", "use"} <= set(tables)
    certified = tables["certified"].rows
    members = [*result["archive"], "b0"]
    assert [row[1] for row in certified if row[0] == "CHASE"] == members
    shown = {(row[0], row[1]): row[2:5] for row in certified}
    rates = [shown["CHASE", b][0] for b in result["archive"]]
    assert float(rows["CHASE"][4]) == pytest.approx(sum(map(float, rates)) / len(rates))
    assert all(r[1] == pytest.approx(r[0] - shown["RawHarness", b][0])
               and r[2] == pytest.approx(shown[m, "rel"][1] - r[1])
               for (m, b), r in shown.items())  # fmt: skip
    with Reader(path) as reader:
        seen = {n: read_sheet(reader, "evo").rate(n, "rel") for n in (own["harness"], "H0")}
    specific = seen[own["harness"]] - seen["H0"] - Fraction(own["g_rel"])
    assert rows["CHASE"][-1] == pytest.approx(100 * float(specific))
    assert rows["RawHarness"][-1] == 0
    with Reader(path) as reader:
        archive, effect = chase_archive(reader), chase_effect(reader)
    assert [one["id"] for one in archive["benchmarks"]] == result["archive"]
    assert effect["chosen"] == own["harness"]
    assert effect["delta_bs"] == Fraction(own["delta_bs"])
    chosen = [one["id"] for one in archive["harnesses"] if one["chosen"]]
    assert chosen == [own["harness"]]
