"""Attacks on sentences and boards, which can be resumed.

`make claims`: generated challenges, up to 30 teams and 500 cases, in parallel; each number is one challenge for good.

Without `--first`, the challenges are ones that no earlier run has had.
A run that is broken off goes on with `--record`, where it keeps how far it is and what it found.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

from tests.claims.attack import Found, attack, fresh_first
from tests.unit.evaluation.uncertainty.many_boards import contradictions, random_board

BLOCK = 50
SAID_EVERY = 40


def many(seeds: range, *, large: bool = True) -> tuple[range, list[Found], int]:
    """Return the seeds, the false sentences of their challenges, and the number of sentences."""
    results = [attack(seed, large=large) for seed in seeds]
    return seeds, [found for part, _ in results for found in part], sum(said for _, said in results)


def many_boards(seeds: range) -> tuple[range, list[Found], int]:
    """Return the seeds, what contradicts itself on their random boards, and 0, because sentences are not counted."""
    found: list[Found] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in seeds:
            try:
                texts = contradictions(random_board(seed))
            except Exception as error:  # noqa: BLE001 (a board that cannot be ranked is one to list)
                texts = [f"{type(error).__name__}: {error}"]
            found += [Found(seed, "board", text) for text in sorted(set(texts))]
    return seeds, found, 0


def blocks(first: int, end: int) -> Iterator[range]:
    """Numbers of challenges in portions."""
    for at in range(first, end, BLOCK):
        yield range(at, min(at + BLOCK, end))


def main() -> int:
    """Attack, and print what is false."""
    parser = argparse.ArgumentParser(prog="python -m tests.claims", description=__doc__)
    parser.add_argument("--challenges", type=int, default=50_000)
    parser.add_argument(
        "--first", type=int, help="number of the first challenge; otherwise one that no earlier run has had"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--minutes", type=float, default=float("inf"), help="end after so long, whatever is left")
    parser.add_argument(
        "--boards", action="store_true", help="random boards of all schemes, which must not contradict themselves"
    )
    parser.add_argument("--small", action="store_true", help="challenges of the size that the suite generates")
    parser.add_argument("--record", type=Path, help="file that keeps how far the run is, to go on from")
    chosen = parser.parse_args()
    first = fresh_first() if chosen.first is None else chosen.first
    state = {"first": first, "next": first, "sentences": 0, "false": []}
    if chosen.record and chosen.record.exists():
        state = json.loads(chosen.record.read_text(encoding="utf-8"))
    start, end = time.monotonic(), state["first"] + chosen.challenges

    def told() -> None:
        done = state["next"] - state["first"]
        sys.stdout.write(
            f"{done:,} {noun}, {state['sentences']:,} sentences, {len(state['false'])} false, "
            f"{time.monotonic() - start:.0f} s\n"
        )
        sys.stdout.flush()

    check = many_boards if chosen.boards else partial(many, large=not chosen.small)
    noun = "boards" if chosen.boards else "challenges"
    with ProcessPoolExecutor(chosen.processes) as pool:
        for number, (seeds, found, said) in enumerate(pool.map(check, blocks(state["next"], end)), 1):
            state["next"], state["sentences"] = seeds.stop, state["sentences"] + said
            state["false"] += [asdict(one) for one in found]
            for one in found:
                sys.stdout.write(f"false of challenge {one.seed} ({one.about}): {one.sentence}\n")
            if chosen.record:
                chosen.record.write_text(json.dumps(state), encoding="utf-8")
            if number % SAID_EVERY == 0:
                told()
            if time.monotonic() - start > 60 * chosen.minutes:
                pool.shutdown(cancel_futures=True)
                break
    told()
    return 1 if state["false"] else 0


if __name__ == "__main__":
    sys.exit(main())
