"""Hostile programs and the verdict each of them must get (design: sandbox.md).

A program defines `f()`. For those that the kernel stops, `f` returns what it got hold of: it must
raise or return nothing. SECRET stands for a readable file, ENGINE for the engine's pid.
"""

from dataclasses import dataclass

OPENING = """
import ctypes, os, signal, socket, struct, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result
"""


@dataclass(frozen=True)
class Hostile:
    """A program and the verdicts that are right for it."""

    name: str
    body: str
    verdicts: tuple[str, ...]

    def source(self, secret: str, engine: int) -> str:
        """The program for one test."""
        return OPENING + self.body.replace("SECRET", secret).replace("ENGINE", str(engine))


def _stopped(name: str, statement: str) -> Hostile:
    lines = "".join(f"    {line}\n" for line in statement.strip().splitlines())
    return Hostile(name, f"def f():\n{lines}", ("error",))


STOPPED = [
    _stopped("reads a file", "return open('SECRET').read()"),
    _stopped("reads a file by system call", "return call(257, -100, b'SECRET', 0)"),
    _stopped("reads /etc/passwd", "return open('/etc/passwd').read()"),
    _stopped("reads the engine's environment", "return open('/proc/ENGINE/environ').read()"),
    _stopped("reads its own memory map", "return open('/proc/self/maps').read()"),
    _stopped("lists a folder", "return os.listdir('/')"),
    _stopped("finds a secret in the environment", "return os.environ['EVOSCOPE_TEST_SECRET']"),
    _stopped("opens TCP", "return socket.create_connection(('127.0.0.1', 22))"),
    _stopped("opens UDP", "return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
    _stopped("opens a UNIX socket", "return socket.socketpair()"),
    _stopped("is a fork bomb", "while True:\n    os.fork()"),
    _stopped("forks by system call", "return call(57)"),
    _stopped("clones by system call", "return call(56, 17, 0, 0, 0, 0)"),
    _stopped(
        "leaves a daemon", "if os.fork() == 0:\n    os.setsid()\n    time.sleep(99)\nreturn 1"
    ),
    _stopped("writes a file", "return open('SECRET', 'w')"),
    _stopped("fills the disk", "file = open('/tmp/full', 'wb')\nwhile True:\n    file.write(b'0')"),
    _stopped("makes a symlink", "os.symlink('/etc/passwd', '/tmp/link')\nreturn 1"),
    _stopped("kills its parent", "os.kill(os.getppid(), signal.SIGKILL)\nreturn 1"),
    _stopped("kills the engine", "os.kill(ENGINE, signal.SIGKILL)\nreturn 1"),
    _stopped("kills everyone", "os.kill(-1, signal.SIGKILL)\nreturn 1"),
    _stopped("stops itself", "os.kill(os.getpid(), signal.SIGSTOP)\nreturn 1"),
    _stopped("stops itself as a thread", "signal.raise_signal(signal.SIGSTOP)\nreturn 1"),
    _stopped("traces its parent", "return call(101, 16, os.getppid(), 0, 0)"),
    _stopped(
        "reads its parent's memory",
        "vector = struct.pack('QQ', id(0), 8)\n"
        "return call(310, os.getppid(), vector, 1, vector, 1, 0)",
    ),
    _stopped("executes by ctypes", "return call(59, b'/bin/true', None, None)"),
    _stopped("starts a subprocess", "return subprocess.run(['/bin/true'])"),
    _stopped("uses the shell", "if os.system('true') == 0:\n    return 1\nraise OSError"),
    _stopped(
        "raises its own limits",
        "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (99, 99))\nreturn 1",
    ),
    _stopped("limits its parent", "return call(302, os.getppid(), 7, struct.pack('QQ', 0, 0), 0)"),
    _stopped("disarms its timer", "return call(226, 0)"),
    _stopped("makes executable memory", "return call(9, None, 4096, 7, 0x22, -1, 0)"),
    _stopped(
        "makes memory executable",
        "page = call(9, None, ctypes.c_size_t(4096), 3, 0x22, -1, 0)\n"
        "return call(10, ctypes.c_void_p(page), 4096, 5)",
    ),
    _stopped("duplicates its socket", "return os.dup(3)"),
    _stopped("writes to standard output's descriptor", "return os.write(1, b'pass')"),
    _stopped("undoes patched names", "return os.write(sys.__stdout__.fileno(), b'pass')"),
    _stopped(
        "starts threads",
        "threads = [threading.Thread(target=time.sleep, args=(9,)) for _ in range(99)]\n"
        "for thread in threads:\n    thread.start()\nreturn 1",
    ),
    Hostile(
        "tries risky system calls in every ABI",
        "RISKY = [250, 248, 321, 425, 426, 323, 319, 272, 165, 308, 155, 175, 298, 434, 424, 438,\n"
        "         41, 42, 49, 56, 57, 58, 59, 62, 101, 310, 311, 157, 302, 160, 317, 2, 257, 437]\n"
        "def f():\n"
        "    numbers = RISKY + [n | 0x40000000 for n in [*RISKY, 0, 1, 9, 39, 520]]\n"
        "    got = [n for n in numbers if libc.syscall(ctypes.c_long(n), 0, 0, 0, 0, 0, 0) != -1]\n"
        "    if got: return got\n"
        "    raise PermissionError\n",
        ("error",),
    ),
]
"""The attack's own call fails."""

ENDLESS = [
    Hostile(
        "ignores signals",
        "def f():\n"
        "    for number in range(1, 65):\n"
        "        try: signal.signal(number, signal.SIG_IGN)\n"
        "        except (OSError, ValueError): pass\n"
        "    while True:\n"
        "        try:\n"
        "            while True: pass\n"
        "        except BaseException: pass\n",
        ("timeout",),
    ),
    Hostile(
        "recurses without end",
        "def g():\n    try: g()\n    finally: g()\ndef f():\n    g()\n",
        ("timeout",),
    ),
    Hostile("computes huge integers", "def f():\n    return 7 ** (10 ** 9)\n", ("timeout",)),
    Hostile(
        "backtracks in a pattern",
        "import re\ndef f():\n    return re.match(r'(a+)+$', 'a' * 60 + 'b')\n",
        ("timeout",),
    ),
    Hostile("waits on standard input", "def f():\n    return input()\n", ("timeout",)),
    Hostile("reads its socket", "def f():\n    return os.read(3, 1)\n", ("timeout",)),
    Hostile("sleeps", "def f():\n    time.sleep(1000)\n", ("timeout",)),
    Hostile("loops when loaded", "while True: pass\ndef f(): pass\n", ("timeout",)),
    Hostile(
        "loops when its value is judged",
        "class A:\n    def __bool__(self):\n        while True: pass\ndef f(): return A()\n",
        ("timeout",),
    ),
    Hostile(
        "loops when its exception is described",
        "class A(Exception):\n    def __str__(self):\n        while True: pass\ndef f(): raise A\n",
        ("timeout",),
    ),
]

ENDED = [
    Hostile("takes all memory", "def f():\n    return bytearray(10 ** 12)\n", ("memory",)),
    Hostile(
        "takes all memory in small pieces",
        "def f():\n    return len([b'x' * 10 ** 6 for _ in range(10 ** 6)])\n",
        ("memory",),
    ),
    Hostile("exits at once", "def f():\n    os._exit(0)\n", ("no_result",)),
    Hostile("exits as if it was not locked", "def f():\n    os._exit(70)\n", ("no_result",)),
    Hostile("exits when loaded", "os._exit(0)\n", ("no_result",)),
    Hostile(
        "patches the runner",
        "for module in list(sys.modules.values()):\n"
        "    if hasattr(module, 'Channel'): module.Channel.result = lambda *a: None\n"
        "def f(): return 1\n",
        ("no_result",),
    ),
    Hostile("leaves by sys.exit", "def f():\n    sys.exit(0)\n", ("error",)),
    Hostile("leaves by sys.exit when loaded", "sys.exit(0)\n", ("error",)),
    Hostile(
        "hopes for atexit",
        "import atexit\natexit.register(os._exit, 0)\ndef f():\n    raise SystemExit\n",
        ("error",),
    ),
    Hostile("crashes", "def f():\n    ctypes.string_at(0)\n", ("crash",)),
    Hostile("aborts", "def f():\n    libc.abort()\n", ("crash",)),
    Hostile(
        "crashes by recursion",
        "import pickle\nsys.setrecursionlimit(10 ** 9)\n"
        "class A:\n    def __repr__(self): return repr([self])\n"
        "def f(): repr(A())\n",
        ("crash", "memory", "error", "timeout"),
    ),
]

EQUAL_TO_ALL = "    def __eq__(self, other): return True\n    __hash__ = None\n"
WRONG = [
    Hostile("equals everything", f"class A:\n{EQUAL_TO_ALL}def f(): return A()\n", ("fail",)),
    Hostile(
        "equals everything as a string",
        f"class A(str):\n{EQUAL_TO_ALL}def f(): return A('x')\n",
        ("fail",),
    ),
    Hostile(
        "spoofs an integer",
        "class int(int):\n    __class__ = property(lambda self: type(1))\n"
        f"{EQUAL_TO_ALL}def f(): return int(42)\n",
        ("fail",),
    ),
    Hostile(
        "spoofs with a metaclass",
        "class M(type):\n    __name__ = property(lambda c: 'int')\n"
        "    def __eq__(c, other): return True\n    __hash__ = lambda c: hash(int)\n"
        "class A(metaclass=M): pass\ndef f(): return A()\n",
        ("fail",),
    ),
    Hostile(
        "hides an impostor inside a list",
        f"class A:\n{EQUAL_TO_ALL}def f(): return [A()]\n",
        ("fail",),
    ),
    Hostile(
        "collides its keys",
        "def f(): return {n * (2 ** 61 - 1): 0 for n in range(1500)}\n",
        ("fail",),
    ),
    Hostile(
        "nests deeply",
        "def f():\n    x = []\n    for _ in range(90000): x = [x]\n    return x\n",
        ("fail",),
    ),
    Hostile("contains itself", "def f():\n    x = []\n    x.append(x)\n    return x\n", ("fail",)),
    Hostile(
        "patches equality",
        "import operator, builtins\noperator.eq = lambda a, b: True\n"
        "builtins.all = lambda x: True\ndef f(): return 0\n",
        ("fail",),
    ),
]

FRAME = "def frame(kind, body=b''): os.write(3, struct.pack('!IB', len(body), ord(kind)) + body)\n"
FORGED = (
    FRAME + "from inside import codec\n"
    "def answer(value):\n"
    "    parts = [codec.encode(x) for x in ('loaded', '', '', '')]\n"
    "    case = codec.joined([codec.encode(True), codec.encode(value)])\n"
    "    frame('r', codec.joined([*parts, case]))\n"
)
LOUD = [
    Hostile("prints without end", "def f():\n    while True: print('x' * 99)\n", ("output_limit",)),
    Hostile("returns a giant", "def f(): return 'x' * 10 ** 7\n", ("output_limit",)),
    Hostile("returns a giant number", "def f(): return 1 << 10 ** 7\n", ("output_limit",)),
    Hostile(
        "returns a small graph that unfolds",
        "def f():\n    x = []\n    for _ in range(60): x = [x, x]\n    return x\n",
        ("output_limit",),
    ),
    Hostile(
        "forges frames on every descriptor",
        FRAME + "def f():\n"
        "    for number in range(99):\n"
        "        try: os.write(number, b'pass' * 99)\n"
        "        except OSError: pass\n    return 42\n",
        ("output_limit", "bad_output"),
    ),
    Hostile(
        "says ready twice", FRAME + "def f():\n    frame('R')\n    return 42\n", ("bad_output",)
    ),
    Hostile("asks for what it may not", FRAME + "def f():\n    frame('q')\n", ("bad_output",)),
    Hostile(
        "leaves half a frame",
        "def f():\n    os.write(3, b'\\0\\0')\n    os._exit(0)\n",
        ("bad_output",),
    ),
    Hostile(
        "shifts the frames", "def f():\n    os.write(3, b'\\0')\n", ("output_limit", "bad_output")
    ),
    Hostile(
        "answers one case twice",
        FORGED + "def f():\n    answer(42)\n    return 42\n",
        ("bad_output",),
    ),
    Hostile(
        "answers when loaded and again",
        FORGED + "answer(42)\ndef f(): return 42\n",
        ("bad_output",),
    ),
    Hostile(
        "answers with too many cases",
        FORGED + "def f():\n    case = codec.encode((True, 42))\n"
        "    parts = [codec.encode(x) for x in ('loaded', '', '', '')]\n"
        "    frame('r', codec.joined([*parts, case, case]))\n    os._exit(0)\n",
        ("bad_output",),
    ),
    Hostile(
        "answers with a broken value",
        FRAME + "def f():\n    frame('r', b't\\xff\\xff\\xff')\n    os._exit(0)\n",
        ("bad_output",),
    ),
    Hostile(
        "floods the engine with frames",
        FRAME + "def f():\n    while True: frame('r')\n",
        ("bad_output",),
    ),
]

GUESSED = Hostile(
    "guesses an answer and leaves",
    FORGED + "def f():\n    answer(41)\n    os._exit(0)\n",
    ("fail",),
)
SCAN = """
import ctypes, gc
def f():
    mark = '-'.join(['marker', 'of', 'a', 'secret'])
    objects = [o for o in gc.get_objects() if type(o) in (list, tuple, dict, set)]
    for o in objects:
        if o is not objects and mark in (o.values() if type(o) is dict else o):
            return 'in an object'
    libc = ctypes.CDLL(None)
    libc.sbrk.restype = ctypes.c_void_p
    top = libc.sbrk(0)
    if mark.encode() in ctypes.string_at(top - 2 ** 21, 2 ** 21).replace(mark.encode(), b'', 3):
        return 'on the heap'
    return 'nothing'
"""
"""Looks for a text that an earlier job held, or that the engine expects; its own copies are few."""

REST = [*ENDLESS, *ENDED, *WRONG, *LOUD, GUESSED]
