"""The standard library that a candidate may import: loaded before the lock, never after it.

A job can open no file, so what is not loaded here does not exist for it.
"""

import codecs
import importlib
import sys

MODULES = (
    "abc", "argparse", "array", "ast", "base64", "binascii", "bisect", "builtins", "calendar",
    "cmath", "codecs", "collections", "collections.abc", "contextlib", "copy",
    "copyreg", "csv", "ctypes", "dataclasses", "datetime", "_strptime", "decimal", "difflib",
    "dis", "doctest", "enum", "errno", "fnmatch", "fractions", "functools", "gc",
    "glob", "graphlib", "hashlib", "heapq", "hmac", "html", "inspect", "io",
    "itertools", "json", "keyword", "linecache", "locale", "logging", "math", "numbers",
    "opcode", "operator", "os", "os.path", "pathlib", "pickle", "platform", "pprint", "queue",
    "random", "re", "reprlib", "resource", "secrets", "select", "shlex", "shutil",
    "signal", "socket", "stat", "statistics", "string", "stringprep", "struct", "subprocess",
    "sys", "tempfile", "textwrap", "threading", "time", "timeit", "token",
    "tokenize", "traceback", "types", "typing", "unicodedata", "unittest",
    "urllib.parse", "uuid", "warnings", "weakref", "zipfile", "zlib",
)  # fmt: skip
CODECS = ("ascii", "latin-1", "utf-8", "utf-16", "utf-32", "cp1252", "idna", "punycode",
          "unicode_escape", "raw_unicode_escape", "hex", "rot13")  # fmt: skip


def load() -> None:
    """Import everything, then forget where modules come from.

    `hashlib` uses Python's own functions: OpenSSL would add five megabytes to every fork, and
    every shared library costs it time.
    """
    for name in ("_hashlib", "_bz2", "_lzma", "_uuid"):
        sys.modules[name] = None  # type: ignore[assignment]
    for name in MODULES:
        importlib.import_module(name)
    for codec in CODECS:
        codecs.lookup(codec)
    sys.path.clear()
    sys.path_importer_cache.clear()
