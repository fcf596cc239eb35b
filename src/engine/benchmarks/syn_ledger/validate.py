"""Every validation of Syn-Ledger's construction (CHASE, appendix D.2 and D.3), as code.

Independent of any run: it reads what the generator made and what the renderer writes.
"""

from collections.abc import Callable
from functools import lru_cache

from ..checks import Check
from .environment import Ledger, build
from .validate_allocation import allocation_checks
from .validate_answers import answer_checks
from .validate_balance import balance_checks
from .validate_scorer import scorer_checks
from .validate_tasks import task_checks

GROUPS: tuple[Callable[[Ledger], list[Check]], ...] = (
    task_checks,
    answer_checks,
    balance_checks,
    allocation_checks,
    scorer_checks,
)


@lru_cache(maxsize=4)
def validate(seed: int = 0) -> tuple[Check, ...]:
    """All checks on the benchmark of a seed; takes a few seconds, once."""
    ledger = build(seed)
    return tuple(check for group in GROUPS for check in group(ledger))
