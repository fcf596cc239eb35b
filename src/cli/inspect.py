"""`evoscope inspect`: one node with its diff, verdicts, rollouts, decisions and lineage."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..engine.errors import UsageError
from ..engine.store.content import fields_of, prompt_of, reply_text
from ..engine.store.reader import Reader
from ..engine.store.views import VerdictRow
from ..tui.dossier import Dossier, read_dossier
from ..tui.text import clean_lines
from .as_json import decision_json, node_json, rollout_json, verdict_json
from .diff import diff_hunks, diff_lines
from .inspect_export import exported
from .inspect_own import own_json, own_lines
from .output import facts, print_json, print_lines, section, table, terminal_width
from .runs import run_argument
from .show_rows import (
    decision_cells,
    node_cells,
    rollout_cells,
    score_text,
    verdict_cells,
)
from .status import json_option

if TYPE_CHECKING:
    from ..tui.screens.own import Own


@click.command()
@run_argument
@click.argument("node")
@click.option(
    "--against", type=click.Choice(("parent", "original")), default="parent", show_default=True,
    help="What the diff compares with.",
)  # fmt: skip
@click.option("--content", is_flag=True, help="Add prompts, responses and rationales.")
@json_option
def inspect(run: Path, node: str, against: str, content: bool, as_json: bool) -> None:
    """Show NODE of RUN: what changed, every verdict, the rollouts, the chain it came from."""
    with Reader(run) as reader:
        dossier = read_dossier(reader, node)
        if dossier is None:
            raise UsageError(f"no node {node!r}; `evoscope show {run.stem} nodes` lists them")
        if as_json:
            print_json(inspect_json(reader, dossier, against, content))
        else:
            print_lines(_lines(reader, dossier, against, content))
            if content:
                print_lines(_content_lines(reader, dossier))


def inspect_json(reader: Reader, dossier: Dossier, against: str, content: bool) -> dict[str, Any]:
    """The whole node as `json.md` says; texts of models only with `content`."""
    base = _base(dossier, against)
    before, after = fields_of(base[1]), fields_of(dossier.contents[dossier.node.id])
    export, note = exported(reader, dossier)
    value: dict[str, Any] = {
        "node": node_json(dossier.node),
        "lineage": [node_json(link) for link in dossier.chain],
        "input": after,
        "diff": {
            "against": base[0],
            "hunks": diff_hunks(before, after),
            "note": ALONE if base[0] == dossier.node.id else None,
        },
        "verdicts": [_verdict(dossier, row, content) for row in dossier.verdicts],
        "rollouts": [rollout_json(row) for row in dossier.rollouts],
        "decisions": [decision_json(row) for row in dossier.decisions],
        "export": export,
        "export_note": note,
        **own_json(reader, dossier),
    }
    if content:
        value["texts"] = [
            {"call": call, "prompt": [list(part) for part in prompt], "response": response}
            for call, prompt, response in _texts(reader, dossier)
        ]
    return value


def _base(dossier: Dossier, against: str) -> tuple[str, str]:
    """Id and content of what the diff compares with; the node itself where it has no ancestor."""
    base = dossier.original if against == "original" else dossier.parent or dossier.node
    return base.id, dossier.contents[base.id]


def _verdict(dossier: Dossier, row: VerdictRow, content: bool) -> dict[str, Any]:
    """A verdict with its detail: of a model only with `content`, of a rule where it judged what
    no person wrote."""
    digest = row.detail_hash
    told = content or (row.by == "rule" and dossier.node.kind != "case")
    detail = {"detail": json.loads(dossier.details[digest]) if digest else None}
    return verdict_json(row) | (detail if told else {})


def _texts(reader: Reader, dossier: Dossier) -> list[tuple[str, list[tuple[str, str]], str | None]]:
    return [
        (
            call.slot,
            prompt_of(reader.text(call.request_blob)),
            reply_text(reader.text(call.reply_blob)) if call.reply_blob else None,
        )
        for call in dossier.calls
    ]


def _lines(reader: Reader, dossier: Dossier, against: str, content: bool) -> list[str]:
    from ..tui.screens.own import own_of

    node = dossier.node
    own = own_of(reader.meta()["search"])
    summary = facts(
        [
            ("node", node.id),
            ("state", "vetoed" if node.vetoed else node.state),
            ("score", score_text(node.score, bound=node.bound)),
            ("entropy", "" if node.entropy is None else f"{node.entropy:.3f}"),
            ("axis", str(node.origin.get("axis", ""))),
            ("change", node.description),
        ]
    )
    heads = ("node", "state", "axis", "score", "entropy", "description")
    return [
        *summary,
        *section("lineage", table(heads, map(node_cells, dossier.chain), {3, 4})),
        *own_lines(reader, dossier, own, content=content, width=terminal_width()),
        *_diff(dossier, own, against),
        *section("verdicts", table(_VERDICT, map(verdict_cells, dossier.verdicts), {3})),
        *section("rollouts", table(_ROLLOUT, map(rollout_cells, dossier.rollouts), {2, 4})),
        *section("decisions", table(_DECISION, map(decision_cells, dossier.decisions))),
    ]


def _diff(dossier: Dossier, own: "Own", against: str) -> list[str]:
    """What changed, in the search's own fields; nothing where no node is made from another."""
    base, text = _base(dossier, against)
    if not own.diff(dossier.node):
        return []
    if base == dossier.node.id:
        return section("diff", [ALONE])
    after = own.fields(dossier.contents[dossier.node.id])
    return section(f"diff against {base}", diff_lines(own.fields(text), after))


def _content_lines(reader: Reader, dossier: Dossier) -> list[str]:
    lines: list[str] = []
    for digest, text in dossier.details.items():
        lines += ["", f"-- rationale {digest[:12]}", *clean_lines(text)]
    for call, prompt, response in _texts(reader, dossier):
        for role, text in prompt:
            lines += ["", f"-- {call} {role}", *clean_lines(text)]
        lines += ["", f"-- {call} response", *clean_lines(response or "(none)")]
    return lines


ALONE = "this node is the original: nothing stands before it"
_VERDICT = ("time", "node", "gate", "vote", "outcome", "by", "reason")
_ROLLOUT = ("node", "task", "sample", "outcome", "score", "class", "parsed")
_DECISION = ("time", "group", "step", "kind", "chosen", "reason")
