"""A finished harden run whose inputs can be labelled: two originals, three candidates."""

import json
from pathlib import Path

from evoscope.engine.model.labels import handle
from tests.store_builder import RunFile, small_run

NODES = ("a/g0/i0", "b/g0/i0", "a/g1/i0", "a/g2/i0", "a/g1/i1")


def label_run(folder: Path, extra: str = "") -> RunFile:
    """One candidate passes both gates, one fails realism, one fails correctness and never meets
    realism. Their inputs tell nothing but their handle, and `extra`."""
    run = small_run(folder)
    for node in NODES:
        fields = {
            "question": f"what is {handle(node)}?{extra}",
            "table": [["", "2007", "2008"], ["income", "$1,234", f"5.5%{extra}"]],
        }
        run.sql("UPDATE node SET content_hash = ? WHERE id = ?", run.blob(json.dumps(fields)), node)
    for node, correctness, realism in (
        ("a/g1/i0", "pass", "pass"), ("a/g2/i0", "pass", "fail"), ("a/g1/i1", "fail", None),
    ):  # fmt: skip
        run.verdict(node, "correctness", -1, correctness)
        if realism:
            run.verdict(node, "realism", -1, realism)
    record = {"expected": f"yes{extra}"}
    run.insert("item", {
        "id": "a", "split": "shard 0", "ord": 0, "content_hash": run.blob(json.dumps(record)),
    })  # fmt: skip
    return run
