"""The pool of a cegar run as an installable Python package that makes no model call."""

import json
from importlib.resources import files
from pathlib import Path

from .benchmarks.code_tasks.bundle import shown_fields
from .benchmarks.code_tasks.operate import OPERATOR, PEER, SMALL_PEER
from .errors import UsageError
from .model.llm import Json
from .report.cegar_composition import composed
from .report.cegar_read import CegarRun, read_cegar
from .sandbox import inside
from .sandbox.jobs import Budget
from .searches.cegar.bench import Operator
from .searches.cegar.composition import MAX_SIZE
from .searches.cegar.training import Labelled
from .store.reader import Reader

PACKAGE = "evoscope_pool"
CODE_FIELDS = "`id`, `prompt`, `entry_point` and `visible` (assert statements)"
TEXT_FIELDS = "`id`, `prompt` and the other fields of your tasks"
PROJECT = """[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "evoscope-pool"
version = "1.0"
description = "Operators that flag wrong programs, found by an Evoscope run"
requires-python = ">=3.11"

[tool.setuptools.package-data]
evoscope_pool = ["*.json"]

[tool.setuptools]
packages = ["evoscope_pool", "evoscope_pool.operators"]
"""
README = """# A pool of operators

Found by the Evoscope run `{run}`. `from evoscope_pool import score`, then
`score(task, code, peers)`: `task` has {fields}, `peers` are the texts of the other samples for it,
which some operators compare with. It gives `{{"flagged": bool, "verdicts": {{name: word}}}}`, each
word `flag`, `pass` or `abstain`; {votes} flag a candidate. Operators that
cannot read a candidate, or have no peers to compare it with, abstain: not flagged does not mean
right. No model is called.

Candidates and operators run in processes with limited time and memory and with your rights: score
untrusted code inside a container. An operator abstains after {operator:g} s of its own or
{observations:g} s of the programs it runs. `electorate.json` holds what the training verdicts rest
on (hash {electorate}); `certificate.json` the classes that the search had to give up, null
where it ended otherwise or a person has vetoed one of its operators since.
"""


def export_pool(path: Path, folder: Path) -> list[Path]:
    """Write the package into a new folder and give its files.

    Raises UsageError where nothing is admitted or the folder is in use.
    """
    with Reader(path) as reader:
        run = read_cegar(reader)
    if not run.admitted:
        raise UsageError(f"{path}: nothing is admitted, so there is no pool to export")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is in use; choose a new folder with -o")
    written = []
    for name, text in contents(run).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    return written


def contents(run: CegarRun) -> dict[str, str]:
    """The package's files by path."""
    here = files(f"{__package__}.searches.cegar")
    split, voting = run.training.split, deployed(run)
    texts = any(task.dataset == "bundle" for task in split.tasks)
    peer = SMALL_PEER if any(task.dataset == "own" for task in split.tasks) else PEER
    written = {
        "pyproject.toml": PROJECT,
        "README.md": README.format(
            run=run.name,
            votes="two operators or more" if len(voting) > 1 else "its one operator can",
            electorate=split.electorate,
            fields=TEXT_FIELDS if texts else CODE_FIELDS,
            operator=OPERATOR.cpu_s,
            observations=Budget().cpu_s,
        ),
        f"{PACKAGE}/__init__.py": (here / "package" / "scorer.py")
        .read_text(encoding="utf-8")
        .replace("from ..inputs import", "from .inputs import"),
        **{
            f"{PACKAGE}/{name}": (here / "package" / name).read_text(encoding="utf-8")
            for name in ("worker.py", "limits.py", "operate.py")
        },
        f"{PACKAGE}/inputs.py": (here / "inputs.py").read_text(encoding="utf-8"),
        f"{PACKAGE}/codec.py": files(inside).joinpath("codec.py").read_text(encoding="utf-8"),
        f"{PACKAGE}/operators/__init__.py": '"""The operators, read as text."""\n',
    }
    written |= {f"{PACKAGE}/{_file(one)}": one.source for one in voting}
    pool: dict[str, Json] = {
        "run": run.name,
        "answers": "texts" if texts else "programs",
        "least_votes": min(2, len(voting)),
        "operators": [
            {"name": one.node, "title": one.name, "level": one.level, "file": _file(one)}
            for one in voting
        ],
        "cpu_s": {
            "operator": OPERATOR.cpu_s,
            "peer": peer.cpu_s,
            "observations": Budget().cpu_s,
        },
        "memory_mb": {"operator": OPERATOR.memory_mb, "peer": peer.memory_mb},
    }
    certificate = dict(run.certificate) if run.certificate and not run.contested else None
    told = {"pool": pool, "electorate": _electorate(split), "certificate": certificate}
    for name, value in told.items():
        text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
        written[f"{PACKAGE}/{name}.json"] = f"{text}\n"
    return written


def deployed(run: CegarRun) -> tuple[Operator, ...]:
    """The operators that vote: all of them, or what C6 picks where they are more than six."""
    if len(run.admitted) <= MAX_SIZE:
        return run.admitted
    found = composed(run, None)
    assert found is not None
    return tuple(run.admitted[place] for place in found.choice("C6").members)


def _file(operator: Operator) -> str:
    return f"operators/{operator.node.replace('-', '_').replace('/', '_')}.py"


def _electorate(split: Labelled) -> dict[str, Json]:
    """What verdicts on the training split rest on: tasks as operators see them, and samples."""
    return {
        "hash": split.electorate,
        "tasks": {
            task.id: {**shown_fields(task), "peers": list(split.samples[task.id])}
            if task.dataset == "bundle"
            else {
                "id": task.id,
                "prompt": task.prompt,
                "entry_point": task.entry,
                "visible": list(task.visible),
                "peers": list(split.samples[task.id]),
            }
            for task in split.tasks
        },
    }
