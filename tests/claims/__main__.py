"""`make claims`: at least 50,000 generated challenges, up to 30 teams and 500 cases, in parallel."""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.claims.attack import Found, attack


def many(seeds: range, *, large: bool = True) -> tuple[list[Found], int]:
    """The false sentences of several challenges, and how many sentences were said of them."""
    results = [attack(seed, large=large) for seed in seeds]
    return [found for part, _ in results for found in part], sum(said for _, said in results)


def main() -> int:
    """Attack, and print what is false."""
    parser = argparse.ArgumentParser(prog="python -m tests.claims", description=__doc__)
    parser.add_argument("--challenges", type=int, default=50_000)
    parser.add_argument("--first", type=int, default=1_000_000, help="number of the first challenge")
    parser.add_argument(
        "--processes", type=int, default=os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
    )
    chosen = parser.parse_args()
    start, said, wrong = time.monotonic(), 0, 0
    blocks = [
        range(at, min(at + 100, chosen.first + chosen.challenges))
        for at in range(chosen.first, chosen.first + chosen.challenges, 100)
    ]
    with ProcessPoolExecutor(chosen.processes) as pool:
        for number, (found, count) in enumerate(pool.map(partial(many, large=True), blocks), 1):
            said += count
            wrong += len(found)
            for one in found:
                sys.stdout.write(f"false of challenge {one.seed} ({one.about}): {one.sentence}\n")
            if number % 50 == 0:
                sys.stdout.write(
                    f"{number * 100} challenges, {said} sentences, {wrong} false, {time.monotonic() - start:.0f} s\n"
                )
                sys.stdout.flush()
    sys.stdout.write(
        f"{chosen.challenges} challenges, {said} sentences, {wrong} false, {time.monotonic() - start:.0f} s\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
