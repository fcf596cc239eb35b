"""What the app costs on the big file while an engine writes 500 rows a second, in a real terminal.

Budgets are those of the design. Each line: what, measured, budget, and their ratio (below 1 is
within the budget). Other work on the machine shows in times and CPU, never in bytes.

Usage: python perf/tui_budgets.py [RUN] [--wide]      80x24, or 160x50
"""

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.tui.bigfile import Shape, build
from tests.tui.terminal import Terminal

RATE = 500
WATCH_S = 8.0
PRESSES = 40
TABS = ("Overview", "Tree", "Axes", "Archive", "Ledger", "Calls", "Report", "Log")
FOLLOW = ("Ledger", "Calls", "Log")
STILL = ("Overview", "Report")
"""Tabs without a cursor: the key goes to another tab and back."""


@contextmanager
def writer(run: Path) -> Iterator[None]:
    """An engine that writes."""
    script = Path(__file__).with_name("tui_writer.py")
    process = subprocess.Popen([sys.executable, str(script), str(run), str(RATE), "3600"])
    try:
        time.sleep(1.5)
        yield
    finally:
        process.terminate()
        process.wait()


def line(what: str, measured: float, budget: float, unit: str) -> bool:
    """Print one result; whether it is within its budget."""
    ratio = measured / budget
    verdict = "" if ratio <= 1 else "  OVER"
    print(f"{what:<44} {measured:>9.2f} {unit:<6} of {budget:>7.2f}  ratio {ratio:.2f}{verdict}")
    return ratio <= 1


def first_screen(run: Path, size: tuple[int, int]) -> None:
    """Time and bytes to the first full screen, import included; the best of three."""
    best, sent = float("inf"), 0
    for _ in range(3):
        begin = time.monotonic()
        with Terminal(run, size=size) as terminal:
            terminal.until("last verdicts", 30)
            best = min(best, time.monotonic() - begin)
            sent = max(sent, len(terminal.out))
    line("first full screen", best, 1.0, "s")
    line("bytes of the first full screen", sent / 1000, 45, "kB")


def tab_bytes(terminal: Terminal, name: str, wide: bool, follow: bool) -> None:
    """Bytes a second on a tab while the engine writes."""
    if name in FOLLOW and not follow:
        terminal.type("g")
    terminal.read(1.5)
    sent = len(terminal.read(WATCH_S)) / WATCH_S / 1000
    budget = (12 if wide else 7) if follow else (4 if wide else 2)
    line(f"{name}{', following' if follow else ''}: output", sent, budget, "kB/s")


def key_to_paint(terminal: Terminal, name: str, keys: str) -> None:
    """From a key to the first byte that answers it: the 95th percentile."""
    times = []
    for number in range(PRESSES):
        while terminal.read(0.12):
            pass
        terminal.type(keys[number % 2])
        times.append(terminal.first(0.5))
    times.sort()
    line(f"{name}: key to paint, p95", times[int(0.95 * len(times))] * 1000, 30, "ms")


def main() -> None:
    """Measure everything."""
    wide = "--wide" in sys.argv[1:]
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    size = (160, 50) if wide else (80, 24)
    print(
        f"machine: {platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}; terminal {size[0]}x{size[1]}; {RATE} rows/s"
    )
    with tempfile.TemporaryDirectory() as folder:
        run = Path(words[0]) if words else build(Path(folder) / "big.evo", Shape())
        with writer(run):
            measure(run, size, wide)


def measure(run: Path, size: tuple[int, int], wide: bool) -> None:
    """All measurements on one file."""
    first_screen(run, size)
    with Terminal(run, size=size) as terminal:
        terminal.until("last verdicts", 30)
        for place, name in enumerate(TABS, start=1):
            terminal.type(str(place))
            terminal.read(1.5)
            if name in FOLLOW:
                tab_bytes(terminal, name, wide, True)
            tab_bytes(terminal, name, wide, False)
            key_to_paint(terminal, name, "jk" if name not in STILL else f"4{place}")
        cpu(terminal)
        line("memory, resident at the most", terminal.peak_mb(), 120, "MB")


def cpu(terminal: Terminal) -> None:
    """Share of one core on the ledger, following, and on the tree."""
    for key, name in (("1", "Overview"), ("2", "Tree"), ("5", "Ledger")):
        terminal.type(key)
        terminal.read(2.0)
        begin, used = time.monotonic(), terminal.cpu_s()
        terminal.read(WATCH_S)
        share = (terminal.cpu_s() - used) / (time.monotonic() - begin) * 100
        line(f"{name}: CPU", share, 15, "%")


if __name__ == "__main__":
    main()
