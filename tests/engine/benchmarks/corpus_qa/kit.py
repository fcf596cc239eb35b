"""A small corpus of our own: five documents with tables, questions on each."""

from pathlib import Path

from evoscope.engine.benchmarks.corpus_qa.corpus import Document, Question
from evoscope.engine.benchmarks.corpus_qa.environment import CorpusQA
from evoscope.engine.benchmarks.corpus_qa.index import Index
from evoscope.engine.benchmarks.corpus_qa.splits import split

TOWNS = ("Ash", "Briar", "Clover", "Dill", "Elder", "Fern")


def documents() -> tuple[Document, ...]:
    return tuple(Document(f"{town.lower()}.txt", _lines(n, town)) for n, town in enumerate(TOWNS))


def _lines(number: int, town: str) -> tuple[str, ...]:
    lines = [f"Accounts of {town}", ""]
    for year in range(1990, 2001):
        lines += [
            f"Receipts of {town} in {year}",
            "(In thousands of crowns)",
            "",
            "| month | receipts |",
            "| --- | --- |",
            f"| January | {1000 * number + year - 1900:,} |",
            f"| June | {2000 * number + year - 1900:,} |",
            "",
            "Note: figures are provisional.",
        ]
    return tuple(lines)


def questions(each: int = 4) -> tuple[Question, ...]:
    return tuple(
        Question(
            f"Q{number}{i}",
            f"What were the receipts of {town} in January {1990 + i}?",
            f"{1000 * number + 90 + i:,}",
            (f"{town.lower()}.txt",),
            "easy" if i % 2 else "hard",
        )
        for number, town in enumerate(TOWNS)
        for i in range(each)
    )


def corpus(cache: Path) -> CorpusQA:
    found, asked = documents(), questions()
    splits = split(asked, 0, 3)
    return CorpusQA(found, asked, splits.ids, Index.open(found, cache))
