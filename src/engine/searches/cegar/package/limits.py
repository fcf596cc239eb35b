"""What a process of this package may use: processor time, and memory beyond what it has by now."""

import os
import resource
import signal


def limit(cpu_s: float, memory_mb: int) -> None:
    """Bind this process for good. Where /proc does not tell its size, memory is not limited."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    if os.path.exists("/proc/self/statm"):
        with open("/proc/self/statm", encoding="ascii") as file:
            size = int(file.read().split()[0]) * resource.getpagesize() + (memory_mb << 20)
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
