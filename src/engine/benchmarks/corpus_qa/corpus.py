"""Reading a corpus: a folder of text files or JSON lines of documents, and a question file."""

import csv
import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ...errors import DataError
from ...model.llm import Json
from ..records import as_object, member, read_lines, read_text

TEXT_SUFFIXES = (".txt", ".md")


@dataclass(frozen=True, slots=True)
class Document:
    """One text document: its file name and its lines."""

    id: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its answer, the files that hold the answer, and a difficulty label."""

    id: str
    question: str
    answer: str
    sources: tuple[str, ...]
    difficulty: str


def read_documents(path: Path) -> tuple[Document, ...]:
    """All documents, sorted by id: `.txt` and `.md` files under a folder, or JSON lines.

    JSON lines (gzipped or not) have `source_file` (or `id`) and `text`; where there is a `sha256`
    it must fit. Raises DataError naming the file, where there is none or an id stands twice.
    """
    found = list(_from_folder(path) if path.is_dir() else _from_lines(path))
    documents = tuple(sorted(found, key=lambda document: document.id))
    if not documents:
        raise DataError(f"{path}: no document in it; give text files or JSON lines with texts")
    for a, b in pairwise(documents):
        if a.id == b.id:
            raise DataError(f"{path}: the document {a.id!r} stands twice; make names unique")
    return documents


def _from_folder(path: Path) -> Iterator[Document]:
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.suffix in TEXT_SUFFIXES:
            yield Document(file.relative_to(path).as_posix(), _lines(read_text(file)))


def _from_lines(path: Path) -> Iterator[Document]:
    for number, value in read_lines(path):
        where = f"{path}, line {number}"
        record = as_object(value, where)
        name = _text(record, "source_file" if "source_file" in record else "id", where)
        text = _text(record, "text", where)
        wanted = record.get("sha256")
        if wanted is not None and hashlib.sha256(text.encode()).hexdigest() != wanted:
            raise DataError(f"{where}: the text of {name!r} does not fit its sha256; fetch it anew")
        yield Document(name, _lines(text))


def _lines(text: str) -> tuple[str, ...]:
    """Lines as editors number them; form feeds and the like end no line."""
    return tuple(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))


def read_questions(path: Path) -> tuple[Question, ...]:
    """All questions in file order, from JSON lines or CSV (plain or gzipped).

    Columns: `uid` (or `id`), `question`, `answer`, `source_files` (a list, or names separated by
    newlines or semicolons), `difficulty` (may be missing). Raises DataError naming the line.
    """
    is_csv = path.name.removesuffix(".gz").endswith(".csv")
    rows = _csv_rows(path) if is_csv else read_lines(path)
    questions = tuple(_question(value, f"{path}, line {number}") for number, value in rows)
    if not questions:
        raise DataError(f"{path}: no question in it; give a file with at least one")
    seen = set[str]()
    for question in questions:
        if question.id in seen:
            raise DataError(f"{path}: the question {question.id!r} stands twice; make ids unique")
        seen.add(question.id)
    return questions


def _csv_rows(path: Path) -> Iterator[tuple[int, Json]]:
    reader = csv.DictReader(io.StringIO(read_text(path)))
    for row in reader:
        yield reader.line_num, {str(k): v for k, v in row.items()}


def _question(value: Json, where: str) -> Question:
    record = as_object(value, where)
    return Question(
        _text(record, "uid" if "uid" in record else "id", where),
        _text(record, "question", where),
        _text(record, "answer", where),
        _sources(member(record, "source_files", where), where),
        str(record.get("difficulty") or "unlabelled"),
    )


def _sources(value: Json, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part for line in value.split("\n") for part in line.split(";")]
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise DataError(f"{where}: source_files is no list of names; separate names by newlines")
    names = sorted({str(part).strip() for part in value} - {""})
    if not names:
        raise DataError(f"{where}: no source_files; name the documents that hold the answer")
    return tuple(names)


def _text(record: dict[str, Json], key: str, where: str) -> str:
    value = member(record, key, where)
    if not isinstance(value, str) or not value:
        raise DataError(f"{where}: {key!r} is no text; give one")
    return value


def check_sources(questions: tuple[Question, ...], documents: tuple[Document, ...]) -> None:
    """Raises DataError where a question names a source that is no document."""
    known = {document.id for document in documents}
    for question in questions:
        for source in question.sources:
            if source not in known:
                raise DataError(
                    f"question {question.id}: its source {source!r} is not among the "
                    f"{len(known)} documents; add it, or correct the name"
                )
