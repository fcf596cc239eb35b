"""Search over the Treasury documents: how long the index takes to build, to open, and to ask.

    .venv/bin/python perf/corpus_index.py

Reads `shared/data` beside the project (or EVOSCOPE_SHARED). Prints the ratio of building to opening
a built index, and CPU milliseconds a query, first and repeated.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from evoscope.engine.benchmarks.corpus_qa.corpus import read_documents, read_questions
from evoscope.engine.benchmarks.corpus_qa.index import Index
from evoscope.engine.benchmarks.corpus_qa.passages import Passages


def timed(work: Callable[[], object]) -> float:
    """CPU seconds of one piece of work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    default = Path(__file__).resolve().parents[1] / "../shared/data"
    folder = Path(os.environ.get("EVOSCOPE_SHARED") or default) / "officeqa"
    documents = read_documents(folder / "officeqa_docs.jsonl.gz")
    queries = [q.question for q in read_questions(folder / "officeqa_own_questions.jsonl")]
    lines = sum(len(document.lines) for document in documents)
    with tempfile.TemporaryDirectory() as cache:
        build = timed(lambda: Index.open(documents, Path(cache)))
        reopen = timed(lambda: Index.open(documents, Path(cache)))
        passages = Passages(documents, Index.open(documents, Path(cache)), 0)
        first = [timed(lambda q=q: passages.ranked(q, False)) for q in queries]
        again = [timed(lambda q=q: passages.ranked(q, False)) for q in queries]
    print(f"{len(documents)} documents, {lines:,} lines")
    print(f"build {build:.2f} s, open {reopen * 1000:.1f} ms, ratio {build / reopen:.0f}")
    for name, times in (("first", first), ("repeated", again)):
        print(f"{name} query: median {statistics.median(times) * 1000:.2f} ms, "
              f"longest {max(times) * 1000:.2f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
