"""Who may import whom (design: architecture.md, Layout), read from the source text itself."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).resolve().parents[1] / "src"
ROOT = "evoscope"

ALLOWED: dict[str, tuple[str, ...]] = {
    "engine.stats": ("engine.stats",),
    "engine.model": ("engine.model",),
    "engine.errors": (),
    "engine.benchmarks": (
        "engine.benchmarks", "engine.model", "engine.errors", "engine.prompts", "resources",
        "engine.canonical",
        "engine.sandbox",
    ),
    "engine.providers": (
        "engine.providers", "engine.model", "engine.errors", "engine.config", "engine.stats",
        "engine.benchmarks", "engine.canonical",
    ),
    "engine.sandbox": ("engine.sandbox", "engine.model", "engine.errors"),
    "engine.gates": (
        "engine.gates", "engine.model", "engine.errors", "engine.benchmarks", "engine.context",
        "engine.prompts", "engine.stats", "engine.canonical", "resources",
    ),
    "engine.searches": (
        "engine.searches", "engine.context", "engine.errors", "engine.gates", "engine.benchmarks",
        "engine.stats", "engine.model", "engine.prompts", "engine.canonical", "resources",
    ),
    "tui": (
        "tui", "engine.report", "engine.launch", "engine.control", "engine.model", "engine.errors",
        "engine.run_files", "engine.heartbeat", "engine.label_set", "engine.store.labels",
        "engine.store.reader", "engine.store.views",
        "engine.store.listings", "engine.store.paging", "engine.store.lineage",
        "engine.store.status", "engine.store.archive", "engine.store.content",
        "engine.store.chase", "resources",
    ),
}  # fmt: skip
"""Package: what of ours its modules may import. Who is not named may import everything below."""

FORBIDDEN: dict[str, tuple[str, ...]] = {
    "engine": ("tui", "cli", "door", "textual", "rich", "click"),
    "engine.store": ("engine.searches", "engine.providers", "engine.calls", "engine.report"),
    "engine.calls": ("engine.searches", "engine.store", "engine.report"),
    "engine.report": ("engine.providers", "engine.calls", "engine.store.writer"),
    "cli": ("textual",),
    "door": ("tui", "cli", "textual"),
}
"""Package: what none of its modules imports, neither of ours nor of others."""

LIGHT = ("tui.text", "tui.format", "tui.dossier")
"""The screens' modules that the command line may use without loading Textual."""


def modules() -> dict[str, Path]:
    """Every module of the package by its name without the root, `""` for the root itself."""
    found = {}
    for path in sorted(SRC.rglob("*.py")):
        parts = path.relative_to(SRC).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path
    return found


def imports(name: str, path: Path) -> Iterator[tuple[str, int, bool]]:
    """(what is imported, line, whether when the module loads); ours without the root's name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _is_type_checking(node)
        for child in ast.walk(node)
    }
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name.removeprefix(f"{ROOT}."), node.lineno, id(node) not in inner
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package[: len(package) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            base = base.removeprefix(f"{ROOT}.")
            for alias in node.names:
                target = f"{base}.{alias.name}" if base else alias.name
                known = target if target in MODULES else base
                yield known, node.lineno, id(node) not in inner


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def within(name: str, package: str) -> bool:
    """Whether a module is a package or lies in it."""
    return name == package or name.startswith(f"{package}.")


MODULES = modules()


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_it_may(package: str) -> None:
    wrong = [
        f"{MODULES[name].relative_to(SRC)}:{line} imports {target}"
        for name in MODULES
        if within(name, package)
        for target, line, _ in imports(name, MODULES[name])
        if target in MODULES and not any(within(target, ok) for ok in ALLOWED[package])
    ]
    assert wrong == []


@pytest.mark.parametrize("package", FORBIDDEN)
def test_a_package_never_imports_what_it_must_not(package: str) -> None:
    wrong = [
        f"{MODULES[name].relative_to(SRC)}:{line} imports {target}"
        for name in MODULES
        if within(name, package)
        for target, line, _ in imports(name, MODULES[name])
        if any(within(target, bad) for bad in FORBIDDEN[package])
    ]
    assert wrong == []


def test_the_command_line_loads_only_light_modules_of_the_screens() -> None:
    wrong = [
        f"{MODULES[name].relative_to(SRC)}:{line} imports {target}"
        for name in MODULES
        if within(name, "cli")
        for target, line, at_load in imports(name, MODULES[name])
        if at_load and within(target, "tui") and target not in LIGHT
    ]
    assert wrong == []


@pytest.mark.parametrize("light", LIGHT)
def test_a_light_module_of_the_screens_knows_no_textual(light: str) -> None:
    seen, waiting = set[str](), [light]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        targets = [target for target, _, at_load in imports(name, MODULES[name]) if at_load]
        assert not any(within(target, "textual") for target in targets), name
        waiting += [target for target in targets if target in MODULES]


def test_imports_inside_the_package_are_relative() -> None:
    absolute = [
        f"{path.relative_to(SRC)}:{node.lineno}"
        for path in MODULES.values()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and not node.level and within(node.module or "", ROOT)
    ]
    assert absolute == []


def test_the_reader_of_imports_sees_every_form(tmp_path: Path) -> None:
    module = tmp_path / "probe.py"
    module.write_text(
        "import textual.app\nfrom textual import events\nfrom . import text\n"
        "from ..engine import control\nfrom ..engine.store.reader import Reader\n"
        "def f():\n    from .app import App\n"
    )
    found = {(target, at_load) for target, _, at_load in imports("tui.probe", module)}
    assert found == {
        ("textual.app", True), ("textual", True), ("tui.text", True), ("engine.control", True),
        ("engine.store.reader", True), ("tui.app", False),
    }  # fmt: skip
