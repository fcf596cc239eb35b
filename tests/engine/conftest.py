"""What tests of several parts of the engine share."""

from collections.abc import Iterator

import pytest

from tests.sandbox_outcomes import OutcomeServer


@pytest.fixture(scope="module")
def server() -> Iterator[OutcomeServer]:
    """One server of sandbox outcomes for a module's tests: each job is run once."""
    made = OutcomeServer()
    yield made
    made.close()
