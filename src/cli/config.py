"""`evoscope init` and `evoscope check`: a configuration to start from, and its problems."""

import asyncio
import os
from pathlib import Path

import click

from ..engine.config import RunConfig
from ..engine.config_file import Problem, config_schema, examine_config
from ..engine.errors import EvoscopeError, UsageError
from ..engine.launch import missing_keys
from ..resources import resource_dir
from .output import narrate, print_json, print_lines

WRONG = 2


@click.command()
@click.argument("search", type=click.Choice(("harden", "chase", "cegar")))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="File [default: SEARCH.toml]."
)
def init(search: str, output: Path | None) -> None:
    """Write a commented configuration of SEARCH, ready to run offline."""
    target = output or Path(f"{search}.toml")
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write((resource_dir("examples") / f"{search}.toml").read_text(encoding="utf-8"))
    except FileExistsError:
        raise UsageError(f"{target} exists; choose another file with -o") from None
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror})") from None
    narrate(f"wrote {target}; `evoscope check {target}`, then `evoscope run {target}`")


@click.command()
@click.argument("config", type=click.Path(path_type=Path), required=False)
@click.option("--set", "overrides", multiple=True, metavar="KEY=VALUE", help="Override.")
@click.option("--live", is_flag=True, help="Ask each model for one token (costs almost nothing).")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(
    config: Path | None, overrides: tuple[str, ...], live: bool, schema: bool, as_json: bool
) -> int:
    """Check the configuration CONFIG: every problem at once, cases readable, keys present."""
    if schema:
        print_json(config_schema())
        return 0
    if config is None:
        raise UsageError("name a configuration file, or give --schema")
    settings, problems = examine_config(config, overrides)
    if settings is not None and not problems:
        problems = [*_case_problems(config, settings), *_key_problems(config, settings)]
        if live and not problems:
            problems = _live_problems(config, settings)
    _print(problems, as_json)
    if not problems and not as_json:
        narrate(f"{config} is in order; `evoscope cost {config}` forecasts it")
    return WRONG if problems else 0


def _print(problems: list[Problem], as_json: bool) -> None:
    if as_json:
        fields = ("key", "value", "where", "message")
        found = [{name: getattr(problem, name) for name in fields} for problem in problems]
        print_json({"ok": not problems, "problems": found})
    else:
        print_lines(map(str, problems))


def _case_problems(path: Path, config: RunConfig) -> list[Problem]:
    from ..engine.plans import plan_run

    try:
        plan = plan_run(config)
    except EvoscopeError as error:
        return [Problem("benchmark", None, str(path), str(error))]
    narrate(f"{plan.total} {plan.unit_kind}s")
    return []


def _key_problems(path: Path, config: RunConfig) -> list[Problem]:
    message = "is not set; export it before the run starts"
    return [
        Problem(f"${name}", None, str(path), message) for name in missing_keys(config, os.environ)
    ]


def _live_problems(path: Path, config: RunConfig) -> list[Problem]:
    from .probe import probe_models

    found = asyncio.run(probe_models(config, os.environ))
    for answer in found:
        state = answer.error or f"answered in {answer.latency_s:.1f} s as {answer.served_model}"
        narrate(f"{answer.provider}/{answer.model}: {state}")
    return [
        Problem(f"models.{answer.role}", repr(answer.model), str(path), answer.error)
        for answer in found
        if answer.error
    ]
