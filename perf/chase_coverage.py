"""How often chase's bounds hold in simulated runs, and how wide they are for it.

python perf/chase_coverage.py [RUNS]
"""

import sys

from evoscope.engine.benchmarks.syn_ledger.assignment import neutral_levels, released_levels
from evoscope.engine.benchmarks.syn_ledger.environment import build
from evoscope.engine.searches.chase.coverage import ARCHIVES, measure


def main(runs: int) -> None:
    """Print one line an archive."""
    tasks = build().released.ledger
    released, neutral = (
        [(row[t.evidence[0]], row[t.evidence[1]]) for t, row in zip(tasks, grid, strict=True)]
        for grid in (released_levels(0, tasks), neutral_levels(0, tasks))
    )
    for archive in ARCHIVES:
        for n in (208, 5_000):
            found = measure(released, neutral, archive, runs=runs, tasks=n)
            print(
                f"{archive:18} n {n:5}: Delta_BS {found.destroyed:.4f}, G_0 {found.gain:.4f}, "
                f"both {found.both:.4f} of {runs} (claimed 0.975); true Delta_BS "
                f"{found.true_delta_bs:.3f}, G_0 {found.true_g_0:.3f}, rho {found.rho:.3f}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
