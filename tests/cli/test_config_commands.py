"""`init` and `check`, and the example configurations that come with Evoscope."""

import re
from pathlib import Path

import pytest

from evoscope.engine.config_file import load_config
from evoscope.engine.errors import ConfigError
from tests.cli.conftest import Cli

FOLDER = Path(__file__).resolve().parents[2] / "examples"
YOUR_DATA = "cegar-evalplus"
"""This example names files that a user must have."""
EXAMPLES = [path for path in sorted(FOLDER.glob("*.toml")) if path.stem != YOUR_DATA]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_in_order(path: Path) -> None:
    config = load_config(path)
    if path.stem.startswith("demo-"):
        assert {provider.kind for provider in config.providers.values()} == {"offline"}
        kind = {"chase": "syn_ledger", "cegar": "code"}.get(
            config.search, path.stem.removeprefix("demo-")
        )
        assert config.benchmark.kind == kind


def test_an_example_on_your_own_data_is_in_order_once_the_files_are_there(tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    text = FOLDER.joinpath(f"{YOUR_DATA}.toml").read_text(encoding="utf-8")
    target.write_text(text, encoding="utf-8")
    named = re.findall(r'"(data/[^"]+)"', text)
    with pytest.raises(ConfigError) as missing:
        load_config(target)
    assert len(named) == 5 and all(name in str(missing.value) for name in named)
    for name in named:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert len(load_config(target).cegar.sources) == 2


def test_the_paper_s_profiles_are_the_paper_s() -> None:
    rows = {
        path.stem: load_config(path).models["task"]
        for path in EXAMPLES
        if path.stem.startswith("paper-")
    }
    table = {
        name: (m.model, m.route and m.route.providers, m.temperature, m.top_p, m.top_k,
               m.presence_penalty, m.repetition_penalty, m.max_tokens, m.reasoning)
        for name, m in rows.items()
    }  # fmt: skip
    assert table == {
        "paper-qwen3.5-35b": (
            "qwen/qwen3.5-35b-a3b", ("parasail",), 1.0, 0.95, 20, 1.5, 1.0, 16384, "off"),
        "paper-qwen3.5-122b": (
            "qwen/qwen3.5-122b-a10b", ("novita",), 1.0, 1.0, 40, 2.0, 1.0, 16384, "off"),
        "paper-qwen3.5-397b": (
            "qwen/qwen3.5-397b-a17b", ("parasail",), 0.7, 0.8, 20, 1.5, 1.0, 16384, "off"),
    }  # fmt: skip


@pytest.mark.parametrize("search", ["harden", "chase"])
def test_init_writes_a_configuration_that_is_in_order(
    cli: Cli, tmp_path: Path, search: str
) -> None:
    target = tmp_path / "mine.toml"
    assert cli("init", search, "-o", target).code == 0
    assert cli("check", target).code == 0
    again = cli("init", search, "-o", target)
    assert again.code == 2 and "exists" in again.err


@pytest.mark.parametrize("search", ["harden", "chase"])
def test_the_commented_configuration_documents_every_setting(
    cli: Cli, tmp_path: Path, search: str
) -> None:
    from evoscope.engine.config import BenchmarkSettings, RunConfig
    from evoscope.engine.searches.chase.settings import ChaseSettings
    from evoscope.engine.searches.harden.settings import HardenSettings

    target = tmp_path / "mine.toml"
    cli("init", search, "-o", target)
    text = target.read_text()
    own = {"harden": HardenSettings, "chase": ChaseSettings}
    others = {"harden", "chase", "cegar"} - {search}
    benchmark = {"seed"} if search == "chase" else {"path", "sample", "kind"}
    names = {*RunConfig.model_fields} - others | benchmark | {*own[search].model_fields}
    assert benchmark <= {*BenchmarkSettings.model_fields}
    assert [name for name in sorted(names) if name not in text] == []


def test_the_corpus_example_documents_every_setting_of_its_benchmark() -> None:
    from evoscope.engine.config import BenchmarkSettings

    text = next(path for path in EXAMPLES if path.stem == "chase-corpus").read_text()
    names = {*BenchmarkSettings.model_fields} - {"sample"}
    assert [name for name in sorted(names) if f"{name} = " not in text] == []


def test_check_prints_every_problem(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    cli("init", "harden", "-o", target)
    printed = cli("check", target, "--set", "harden.votes=0", "--set", "harden.bogus=1")
    assert printed.code == 2
    assert len(printed.out.splitlines()) == 2
    problems = cli("check", target, "--json", "--set", "harden.votes=0").json
    assert problems == {
        "ok": False,
        "problems": [{
            "key": "harden.votes", "value": "0", "where": "--set harden.votes",
            "message": "must be greater than or equal to 1",
        }],
    }  # fmt: skip


def test_check_names_keys_that_are_not_set(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = next(path for path in EXAMPLES if path.stem.startswith("paper-"))
    assert "$ANTHROPIC_API_KEY" in cli("check", paper).out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "planted-1")
    monkeypatch.setenv("OPENROUTER_API_KEY", "planted-2")
    printed = cli("check", paper)
    assert printed.code == 0 and "planted" not in printed.out + printed.err


def test_check_asks_each_model_for_one_token(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    text = next(path for path in EXAMPLES if path.stem == "local-vllm").read_text()
    target.write_text(text.replace("127.0.0.1:8000", "127.0.0.1:1"))
    printed = cli("check", target, "--live")
    assert printed.code == 2
    assert "models.task = 'Qwen/Qwen3-8B'" in printed.out


def test_every_offline_model_answers_the_probe(cli: Cli, tmp_path: Path) -> None:
    target = tmp_path / "mine.toml"
    cli("init", "harden", "-o", target)
    printed = cli("check", target, "--live")
    assert printed.code == 0
    assert printed.err.count(": answered in ") == 4


def test_check_reads_the_cases(cli: Cli, tmp_path: Path) -> None:
    target, cases = tmp_path / "mine.toml", tmp_path / "cases.json"
    cli("init", "harden", "-o", target)
    cases.write_text("[{}]")
    printed = cli("check", target, "--set", f'benchmark.path="{cases}"')
    assert printed.code == 2 and "cases.json" in printed.out


def test_check_prints_the_schema(cli: Cli) -> None:
    schema = cli("check", "--schema").json
    assert schema["properties"]["harden"]
