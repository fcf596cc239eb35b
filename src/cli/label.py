"""`evoscope label`: blind labels of a harden run's inputs, in the app or as files."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ..engine.control import person, send_command, wait_reply
from ..engine.errors import EvoscopeError, UsageError
from ..engine.label_set import Answer, LabelSet, read_set
from ..engine.model.labels import GATE_OF, QUESTIONS, SAMPLE, handle
from ..engine.report.labels import Labelled, label_table, labelled
from ..engine.report.tables import shown
from ..engine.run_files import run_name
from ..engine.store.labels import read_item, read_pool
from ..engine.store.reader import Reader
from ..engine.store.status import read_status
from .label_input import read_answers
from .output import narrate, print_json, print_json_lines, print_lines, table
from .runs import run_argument
from .stats import agreement_of
from .stats_input import Pair

REPLY_S = 30.0


@click.command(short_help="Label inputs blindly, and compare with the gates.")
@run_argument
@click.option(
    "--sample", type=click.IntRange(min=1), default=SAMPLE, show_default=True,
    help="Items of the set.",
)  # fmt: skip
@click.option("--seed", type=int, help="Of the order [default: the run's].")
@click.option("--items", is_flag=True, help="Print the set in its order, blind.")
@click.option(
    "--answers", type=click.Path(path_type=Path), help="Send the answers of a JSONL file."
)
@click.option("--agreement", is_flag=True, help="Compare with the gates, once all is answered.")
@click.option("--pairs", type=click.Choice(QUESTIONS), help="Print pairs for `stats agreement`.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON value.")
@click.option("--jsonl", is_flag=True, help="With --items: one JSON object a line.")
def label(
    run: Path,
    sample: int,
    seed: int | None,
    items: bool,
    answers: Path | None,
    agreement: bool,
    pairs: str | None,
    as_json: bool,
    jsonl: bool,
) -> int:
    """Label RUN's inputs without seeing where they come from or what the gates said.

    Opens the app. Without a terminal: --items prints {node, fields, expected, answers}, --answers
    sends lines of {node, question: realistic | correct, answer: yes | no, reason?}. Items come in
    the order of the SHA-256 of "seed:author:node"; a later answer replaces an earlier one.
    """
    if sum((items, answers is not None, agreement, pairs is not None)) > 1:
        raise UsageError("give one of --items, --answers, --agreement and --pairs")
    with Reader(run) as reader:
        found = read_set(reader, person(), sample, seed)
        if items:
            _print_items(reader, found, as_json, jsonl)
    if answers is not None:
        _send(run, answers)
    elif agreement or pairs:
        _require_finished(run, found)
        _print_agreement(found, pairs, as_json)
    elif not items:
        return _open(run, sample, seed)
    return 0


def _open(run: Path, sample: int, seed: int | None) -> int:
    """The app on the label page; what it left in the inbox is stored when it has ended."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("label needs a terminal; --items and --answers do without")
    from ..tui.app import open_app
    from ..tui.run_model import RunModel
    from ..tui.screens.label import LabelPage

    model = RunModel(run)
    model.reader.close()
    if not model.own():
        raise UsageError(f"only its owner may label {run_name(run)}; `evoscope attach` shows it")
    code = open_app(run, above=lambda host, model: LabelPage(host, model, sample, seed))
    _store(run)
    return code


def _store(run: Path) -> None:
    """Where no engine works on the run, store the labels that wait."""
    from ..engine.label_set import waiting_labels
    from ..engine.launch import store_labels

    if waiting_labels(run) and not read_status(run).alive and store_labels(run).wait():
        narrate(f"the labels wait in {run_name(run)}'s inbox; see {run}.d/engine.log")


def _print_items(reader: Reader, found: LabelSet, as_json: bool, jsonl: bool) -> None:
    rows = [_item_json(reader, found, place) for place in range(len(found.order))]
    if jsonl:
        print_json_lines(rows)
    elif as_json:
        print_json(rows)
    else:
        cells = [
            [str(n), row["node"], *(row["answers"][q] or "-" for q in QUESTIONS)]
            for n, row in enumerate(rows, start=1)
        ]
        print_lines(table(["item", "node", *QUESTIONS], cells, right=[0]))
        narrate(f"{found.done} of {len(rows)} answered; --json prints the inputs")


def _item_json(reader: Reader, found: LabelSet, place: int) -> dict[str, Any]:
    """An item under a name that tells nothing."""
    candidate = found.order[place]
    item = read_item(reader, candidate)
    given = {q: found.given.get((candidate.node, q)) for q in QUESTIONS}
    return {
        "node": handle(candidate.node),
        "fields": item.fields,
        "expected": item.expected,
        "answers": {question: said and said.answer for question, said in given.items()},
    }


def _send(run: Path, file: Path) -> None:
    """Send a file's answers and say what became of them. Raises DataError before any is sent."""
    with Reader(run) as reader:
        nodes = {each.node: each.node for each in read_pool(reader)}
    answers = read_answers(file, {handle(node): node for node in nodes} | nodes)
    sent = [_send_one(run, *key, said) for key, said in answers.items()]
    _store(run)
    last = wait_reply(run, sent[-1], REPLY_S)
    replies = [wait_reply(run, command, 1.0 if last else 0.0) for command in sent]
    stored = [reply for reply in replies if reply is not None]
    for reply in stored:
        if reply.outcome != "done":
            raise EvoscopeError(f"label refused: {reply.result}")
    waiting = "" if len(stored) == len(sent) else "; the others wait in its inbox"
    narrate(f"{run_name(run)}: {len(stored)} of {len(sent)} answers stored{waiting}")


def _send_one(run: Path, node: str, question: str, said: Answer) -> str:
    args = {"node": node, "question": question, "answer": said.answer}
    return send_command(run, "label", args, said.reason)


def _require_finished(run: Path, found: LabelSet) -> None:
    if not found.finished:
        raise UsageError(
            f"{run_name(run)}: you have answered {found.done} of {len(found.order)} items; the "
            "agreement is shown once all are (--sample says how many that are)"
        )


def _print_agreement(found: LabelSet, pairs: str | None, as_json: bool) -> None:
    said = labelled(found.order, [(*key, answer.answer) for key, answer in found.given.items()])
    if pairs:
        print_json_lines(asdict(pair) for pair in pairs_of(said, pairs))
    elif as_json:
        print_json({"author": found.author, "items": len(found.order), "questions": {
            question: _question(said, question) for question in QUESTIONS
        }})  # fmt: skip
    else:
        _print_table(said)


def pairs_of(found: Sequence[Labelled], question: str) -> list[Pair]:
    """The items of a question that both a person and its gate have answered."""
    word = {True: "yes", False: "no"}
    return [
        Pair(word[bool(each.gate)], word[bool(each.human)], each.source)
        for each in found
        if each.question == question and each.compared
    ]


def _question(found: Sequence[Labelled], question: str) -> dict[str, Any]:
    own = [each for each in found if each.question == question]
    return {
        "gate": GATE_OF[question],
        "labelled": len(own),
        "without_verdict": sum(each.gate is None for each in own),
        **agreement_of(pairs_of(found, question)),
    }


def _print_table(found: Sequence[Labelled]) -> None:
    whole = label_table(found)
    if whole is None:
        return
    rows = [
        [shown(cell, column) for cell, column in zip(row, whole.columns, strict=True)]
        for row in whole.rows
    ]
    print_lines(table([column.name for column in whole.columns], rows, right=range(3, 10)))
    for note in whole.notes:
        narrate(note)
