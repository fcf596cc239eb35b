"""The standard library as a job has it: all in memory, because a job can open no file.

What programs often use is loaded before the first fork. The rest waits on a shelf as compressed
code, since every loaded module makes every fork dearer; importing it runs it inside the job.
What is in neither place does not exist for a program.
"""

import importlib
import marshal
import os
import platform
import sys
import types
import zlib
from collections.abc import Iterable, Sequence
from importlib._bootstrap_external import MAGIC_NUMBER
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder

LOADED = (
    "abc", "ast", "bisect", "builtins", "cmath", "codecs", "collections", "collections.abc",
    "contextlib", "copy", "ctypes", "datetime", "enum", "errno", "functools", "gc", "hashlib",
    "heapq", "io", "itertools", "json", "keyword", "math", "numbers", "operator", "os", "os.path",
    "platform", "random", "re", "resource", "signal", "stat", "string", "struct", "sys", "time",
    "types", "typing", "uuid", "warnings", "weakref",
    "array", "binascii", "grp", "select", "termios", "unicodedata", "zlib",
    "_csv", "_decimal", "_pickle", "_posixsubprocess", "_queue", "_socket", "_statistics",
    "_contextvars", "_opcode",
)  # fmt: skip
"""What programs use most, and every shared library that shelved modules need."""
SHELVED = (
    "__future__", "_compat_pickle", "_markupbase", "_strptime", "_weakrefset", "argparse",
    "base64", "bdb", "calendar", "cmd", "code", "codeop", "colorsys", "concurrent",
    "concurrent.futures", "concurrent.futures._base", "contextvars", "copyreg", "csv",
    "dataclasses", "decimal", "difflib", "dis", "doctest", "fnmatch", "fractions", "getopt",
    "getpass", "gettext", "glob", "graphlib", "hmac", "html", "html.entities", "html.parser",
    "inspect", "ipaddress", "linecache", "locale", "logging", "ntpath", "opcode", "optparse",
    "pathlib", "pdb", "pickle", "pkgutil", "pprint", "queue", "quopri", "reprlib",
    "sched", "secrets", "selectors", "shelve", "shlex", "shutil", "socket", "statistics",
    "stringprep", "subprocess", "symtable", "tabnanny", "tempfile", "textwrap", "threading",
    "timeit", "token", "tokenize", "traceback", "unittest", "unittest.case", "unittest.loader",
    "unittest.main", "unittest.result", "unittest.runner", "unittest.signals", "unittest.suite",
    "unittest.util", "urllib", "urllib.parse", "weakref", "zipfile",
    "importlib.util", "importlib.machinery", "importlib._abc",
    "encodings.idna", "encodings.punycode", "encodings.cp1252", "encodings.utf_16",
    "encodings.utf_32", "encodings.unicode_escape", "encodings.raw_unicode_escape",
    "encodings.hex_codec", "encodings.rot_13", "encodings.ascii", "encodings.latin_1",
    "encodings.utf_16_le", "encodings.utf_16_be", "encodings.base64_codec",
)  # fmt: skip
PYC_HEADER = 16
NOT_WANTED = ("_hashlib", "_bz2", "_lzma", "_uuid")
"""Shared libraries that only cost forks time; hashlib has its own functions without OpenSSL."""


class Shelf:
    """An importer of modules from compressed code in memory."""

    def __init__(self, names: Iterable[str]) -> None:
        self._kept = {name: _kept(name) for name in names}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Importlib's question for a module."""
        if name not in self._kept:
            return None
        return ModuleSpec(name, self, is_package=self._kept[name][0])  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """The usual kind of module will do."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module's code."""
        exec(marshal.loads(zlib.decompress(self._kept[module.__name__][1])), module.__dict__)


def _kept(name: str) -> tuple[bool, bytes]:
    """Whether a module is a package, and its compressed code; nothing is imported for that."""
    spec, path = None, None
    for end in range(name.count(".") + 1):
        spec = PathFinder.find_spec(".".join(name.split(".")[: end + 1]), path)
        assert spec is not None, name
        path = spec.submodule_search_locations
    assert spec is not None
    return spec.submodule_search_locations is not None, zlib.compress(_code(name, spec))


def _code(name: str, spec: ModuleSpec) -> bytes:
    """A module's marshalled code; from its cached file where there is one, which leaves no dirt."""
    if spec.cached and os.path.exists(spec.cached):
        with open(spec.cached, "rb") as file:
            data = file.read()
        if data[: len(MAGIC_NUMBER)] == MAGIC_NUMBER:
            return data[PYC_HEADER:]
    assert spec.loader is not None
    return marshal.dumps(spec.loader.get_code(name))  # type: ignore[attr-defined]


def load() -> None:
    """Fill memory, then forget where modules come from.

    The shelf comes first, so that the modules' objects fill the memory that making it has freed.
    """
    shelf = Shelf(SHELVED)
    for name in NOT_WANTED:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in LOADED:
        importlib.import_module(name)
    platform.uname()  # asks the kernel, and remembers
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter, shelf]
    sys.path.clear()
    sys.path_importer_cache.clear()
