"""Compare the executed pseudo-code with the implementation on many random designs."""

import argparse
import sys
from collections import Counter

from tests.procedures.comparing import NotPossibleError, differences, report


def main():
    """Print how many designs were compared, and the first that differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first design")
    options = parser.parse_args()
    counts, differing = Counter(), []
    for seed in range(options.first, options.first + options.designs):
        try:
            found = differences(seed)
        except NotPossibleError as error:
            counts[f"not possible: {str(error)[:60]}"] += 1
            continue
        counts["compared"] += 1
        if found:
            differing.append(seed)
    for name, number in counts.most_common(12):
        print(f"{number:7,} {name}")
    for seed in differing[:3]:
        print(f"\nseed {seed}\n{report(seed)}")
    print(f"{len(differing):,} designs differ{f': seeds {differing[:20]}' if differing else ''}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
