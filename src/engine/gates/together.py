"""Waiting for several pieces of work without leaving any of them behind."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

from ..errors import CallOpen

T = TypeVar("T")


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The results in order, once all have ended.

    Where some raise, the others are still waited for (a call in flight is paid for, and the same
    slot must not be asked for twice); then the first exception is raised, one that merely parks
    the unit (CallOpen) only if there is no other.
    """
    results = await asyncio.gather(*work, return_exceptions=True)
    errors = [result for result in results if isinstance(result, BaseException)]
    if errors:
        raise next((error for error in errors if not isinstance(error, CallOpen)), errors[0])
    return [result for result in results if not isinstance(result, BaseException)]
