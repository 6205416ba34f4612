"""Attack what sites send, at full size: ``python -m tests.performance.attack_sites``.

200 random sites, 10,001 seeds and those of the package, and lattices; exit 1 if an attack finds anything.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.unit.evaluation.federation import campaign

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> int:
    """Run the attacks and print the findings of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=10_000)
    options = parser.parse_args()
    patch = pytest.MonkeyPatch()
    attacks: tuple[Callable[[], campaign.Fitted | campaign.Reduced | campaign.Seeded], ...] = (
        lambda: campaign.fitted(options.sites),
        lambda: campaign.by_lattice(patch, options.sites),
        lambda: campaign.seeded(patch, options.sites, range(options.seeds + 1)),
    )
    held = True
    for attack in attacks:
        start = time.perf_counter()
        found = attack()
        held = held and found.is_held
        sys.stdout.write(f"{'held' if found.is_held else 'BROKEN'} in {time.perf_counter() - start:.0f} s: {found}\n")
        sys.stdout.flush()
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
