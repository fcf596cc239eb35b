"""What a cegar configuration's keys say of each other, and where its paths lead."""

from pathlib import Path

import pytest

from evoscope.engine.config_file import examine_config, load_config
from evoscope.engine.errors import ConfigError
from evoscope.engine.plans import calls_of

HEAD = 'search = "cegar"\n[benchmark]\nkind = "code"\n'
AUTHOR = '[providers.p]\nkind = "offline"\n[models.author]\nprovider = "p"\nmodel = "grammar"\n'
BUNDLE = '[cegar.bundle]\npath = "domain"\ntraining = 3\n'
SOURCES = '[[cegar.sources]]\ntasks = "tasks.jsonl"\nsamples = ["samples.jsonl"]\ntraining = 1\n'
NOBODY = "[providers]\n[models]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "cegar.toml"
    path.write_text(HEAD + text)
    return path


def test_paths_in_sources_bundle_and_pools_lead_from_the_files_folder(tmp_path: Path) -> None:
    for name in ("tasks.jsonl", "samples.jsonl", "a.evo"):
        (tmp_path / name).touch()
    (tmp_path / "domain").mkdir()
    pool = f'{AUTHOR}[cegar]\npool_from = ["a.evo"]\n'
    found = load_config(written(tmp_path, f"{pool}{BUNDLE}")).cegar
    assert found.pool_from == (tmp_path / "a.evo",)
    assert found.bundle is not None and found.bundle.path == tmp_path / "domain"
    found = load_config(written(tmp_path, f"{pool}{SOURCES}")).cegar
    assert found.sources[0].tasks == tmp_path / "tasks.jsonl"
    assert found.sources[0].samples == (tmp_path / "samples.jsonl",)


def test_a_bundle_beside_sources_is_refused_before_anything_is_planned(tmp_path: Path) -> None:
    for name in ("tasks.jsonl", "samples.jsonl"):
        (tmp_path / name).touch()
    (tmp_path / "domain").mkdir()
    _, problems = examine_config(written(tmp_path, f"{AUTHOR}{BUNDLE}{SOURCES}"))
    assert [(problem.key, problem.message) for problem in problems] == [
        ("cegar.bundle", "there are cegar.sources too; keep one of them")
    ]


def test_a_merged_pool_needs_no_author_and_every_other_run_does(tmp_path: Path) -> None:
    (tmp_path / "a.evo").touch()
    load_config(written(tmp_path, f'{NOBODY}[cegar]\npool_from = ["a.evo"]\n'))
    with pytest.raises(ConfigError, match=r"models\.author: missing"):
        load_config(written(tmp_path, NOBODY))
    with pytest.raises(ConfigError, match=r"models\.author: missing"):
        merged = 'pool_from = ["a.evo"]\nablations = ["novelty"]\n'
        load_config(written(tmp_path, f"{NOBODY}[cegar]\n{merged}"))


def test_what_is_missing_is_named_with_its_key(tmp_path: Path) -> None:
    text = f'{AUTHOR}[cegar]\npool_from = ["b.evo"]\n[cegar.bundle]\npath = "gone"\ntraining = 3\n'
    _, problems = examine_config(written(tmp_path, text))
    assert {problem.key for problem in problems} == {"cegar.pool_from[0]", "cegar.bundle.path"}
    assert {problem.message for problem in problems} == {"no such file"}


def test_a_search_needs_an_attempt_at_some_level(tmp_path: Path) -> None:
    text = f"{AUTHOR}[cegar]\nlevel1_attempts = 0\n"
    load_config(written(tmp_path, text))
    with pytest.raises(
        ConfigError, match=r"cegar\.level1_attempts = 0: no attempt at either level"
    ):
        load_config(written(tmp_path, f"{text}level2_attempts = 0\n"))


JUDGE = '[models.judge]\nprovider = "p"\nmodel = "glance"\n'


def test_a_judge_needs_a_model_of_its_own_and_no_other_run_has_to_name_one(tmp_path: Path) -> None:
    asked = "[cegar]\njudge = true\n"
    with pytest.raises(ConfigError, match=r"models\.judge: missing"):
        load_config(written(tmp_path, AUTHOR + asked))
    assert load_config(written(tmp_path, AUTHOR + JUDGE + asked)).cegar.judge
    assert not load_config(written(tmp_path, AUTHOR + JUDGE)).cegar.judge


def test_an_unknown_ablation_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'recall_floor'.*'flag_overlap'"):
        load_config(written(tmp_path, f'{AUTHOR}[cegar]\nablations = ["nothing"]\n'))


def test_the_forecast_counts_every_arm_check_and_candidate(tmp_path: Path) -> None:
    changes = 'judge = true\ncandidates = 3\ninduction_level2 = 5\nablations = ["novelty"]\n'
    bare = calls_of(load_config(written(tmp_path, f"{AUTHOR}[cegar]\ncandidates = 3\n")))
    author, *judges = calls_of(load_config(written(tmp_path, f"{AUTHOR}{JUDGE}[cegar]\n{changes}")))
    assert (author.expected, author.max) == (2 * bare[0].expected + 5, 2 * bare[0].max + 10)
    for kind, role in enumerate(("judge", "judge on held-out tasks")):
        rows = judges[4 * kind : 4 * kind + 4]
        assert [one.role for one in rows] == [role] * 4
        assert [one.model_role for one in rows] == ["author", "author", "judge", "judge"]
        assert len({one.max for one in rows}) == 1 and rows[0].max > 20
        assert rows[0].output_tokens < rows[1].output_tokens
    assert len(judges) == 8
