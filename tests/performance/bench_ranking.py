"""Times of a ranking bootstrap, compared with a loop over pandas and SciPy and with challengeR.

One core is used, with 1,000 samples of 19 algorithms × 100 cases unless the row states otherwise. Resampling is
included, reading is not. The loop ranks every sample with pandas (and SciPy's Wilcoxon test), as most people write it.
It is timed on a few samples and scaled to 1,000. The times of challengeR are quoted from `docs/ranking.md`. If R and
challengeR are installed, they are measured too.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import kendalltau, wilcoxon

from evaluation.assessment import Aggregation, parse
from evaluation.ranking.compare import kendall_tau_b
from evaluation.ranking.drawn import Samples
from evaluation.ranking.resampling import Design, multiplicities
from evaluation.ranking.schemes import apply_scheme
from evaluation.ranking.stability import rank_frequencies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SAMPLES = 1000
CHALLENGER_SECONDS = {"mean": 12.5, "median": 13.6, "rank-mean": 28.0, "test": 295.0}
QUOTED = "challengeR 1.0.5 on R 4.2.2 (quoted)"
SCHEMES = {
    "mean": {"scheme": "aggregate_then_rank", "operator": "mean"},
    "median": {"scheme": "aggregate_then_rank", "operator": "median"},
    "rank-mean": {"scheme": "rank_then_aggregate", "operator": "mean"},
    "rank-median": {"scheme": "rank_then_aggregate", "operator": "median"},
    "test": {"scheme": "test_then_rank"},
}
LIMITS = {"mean": 0.020, "rank-mean": 0.020, "median": 0.050, "rank-median": 0.050, "test": 0.300}


class Timing(NamedTuple):
    """One row of the table: our seconds, those of a peer, and the bar that is set."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float


def simulated(cases: int = 100, algorithms: int = 19, seed: int = 20240519) -> np.ndarray:
    """Values between 0 and 1 with an effect of the case, one of the algorithm, and noise."""
    generator = np.random.default_rng(seed)
    logit = (
        generator.normal(0, 0.6, (cases, 1))
        + generator.normal(1, 0.45, (1, algorithms))
        + generator.normal(0, 0.7, (cases, algorithms))
    )
    return 1 / (1 + np.exp(-logit))


def draw(values: np.ndarray, seed: int = 1) -> Samples:
    """Return new bootstrap samples."""
    drawn = Design(tuple(f"c{index:04d}" for index in range(len(values)))).draw(SAMPLES, seed)
    return Samples(multiplicities(drawn, len(values), SAMPLES), drawn)


def bootstrap(values: np.ndarray, name: str, samples: Samples | None = None) -> np.ndarray:
    """Ranks in every sample."""
    document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}], "ranking": SCHEMES[name]}
    scheme = parse(document).rankings[0]
    return apply_scheme(
        values,
        np.zeros(values.shape, dtype=bool),
        draw(values) if samples is None else samples,
        scheme,
        higher_is_better=True,
        aggregation=Aggregation(),
        hierarchy=None,
    ).ranks


def all_schemes(values: np.ndarray) -> None:
    """Everything that the line plot over schemes needs, from shared draws."""
    samples = draw(values)
    for name in SCHEMES:
        ranks = bootstrap(values, name, samples)
        kendall_tau_b(ranks[0], ranks)
        rank_frequencies(ranks)


def best_of(times: int, work: Callable[[], object]) -> float:
    """Smallest processor time of a few runs, in seconds."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def loop(values: np.ndarray, name: str, samples: int, *, tau: bool = False) -> float:
    """Seconds that a pandas and SciPy loop would take for all samples."""
    table = pd.DataFrame(
        [(f"c{case}", f"a{column}", value) for case, row in enumerate(values) for column, value in enumerate(row)],
        columns=["case", "algorithm", "value"],
    )
    wide = table.pivot_table(index="case", columns="algorithm", values="value")
    generator = np.random.default_rng(1)
    original = _loop_ranks(wide, name)
    start = time.process_time()
    for _ in range(samples):
        drawn = wide.iloc[generator.integers(0, len(wide), len(wide))]
        ranks = _loop_ranks(drawn, name)
        if tau:
            kendalltau(original, ranks)
    return (time.process_time() - start) * SAMPLES / samples


def _loop_ranks(drawn: pd.DataFrame, name: str) -> pd.Series[float]:
    if name == "test":
        names = list(drawn.columns)
        wins = pd.Series(0, index=names)
        for first in names:
            for second in names:
                if first != second:
                    result = wilcoxon(
                        drawn[first], drawn[second], correction=True, method="asymptotic", alternative="greater"
                    )
                    wins[first] += result.pvalue <= 0.05
        return wins.rank(method="min", ascending=False)
    kind = name.removeprefix("rank-")
    if name.startswith("rank-"):
        return drawn.rank(axis=1, method="min", ascending=False).agg(kind).rank(method="min")
    return drawn.agg(kind).rank(method="min", ascending=False)


def benchmarks() -> Iterator[Timing]:
    """All rows, one after the other."""
    values = simulated()
    challenger = measured_challenger(values)
    ours = {name: best_of(7 if name != "test" else 3, lambda name=name: bootstrap(values, name)) for name in SCHEMES}
    for name, seconds in ours.items():
        row = f"bootstrap of a ranking, {name}"
        yield Timing(row, seconds, LIMITS[name], "pandas/SciPy loop", loop(values, name, 2 if name == "test" else 40))
        if name in CHALLENGER_SECONDS:
            yield Timing(row, seconds, LIMITS[name], QUOTED, CHALLENGER_SECONDS[name])
        if name in challenger:
            yield Timing(row, seconds, LIMITS[name], "challengeR (measured)", challenger[name])
    peer = sum(loop(values, name, 2 if name == "test" else 20, tau=True) for name in SCHEMES)
    one = best_of(3, lambda: all_schemes(values))
    yield Timing("all five schemes with τ and rank frequencies", one, 0.5, "pandas/SciPy loop", peer)
    tasks = [simulated(seed=seed) for seed in range(10)]
    ten = best_of(1, lambda: [all_schemes(task) for task in tasks])
    yield Timing("the same for ten tasks", ten, 5.0, "pandas/SciPy loop", 10 * peer)
    large = simulated(1000, 200)
    seconds = best_of(3, lambda: bootstrap(large, "mean"))
    yield Timing("mean, 200 algorithms × 1,000 cases", seconds, 1.0, "pandas/SciPy loop", loop(large, "mean", 20))


def peak_memory() -> float:
    """Peak megabytes of the bootstrap of the mean of 200 algorithms × 1,000 cases, its data included."""
    tracemalloc.start()
    try:
        bootstrap(simulated(1000, 200), "mean")
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def measured_challenger(values: np.ndarray) -> dict[str, float]:
    """Seconds of challengeR for the mean and the rank-mean, if R and it are installed."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return {}
    script = """
    if (!requireNamespace("challengeR", quietly = TRUE)) quit(status = 3)
    suppressMessages(library(challengeR))
    d <- read.csv(commandArgs(TRUE)[1])
    o <- as.challenge(d, algorithm = "algorithm", case = "case", value = "value", smallBetter = FALSE)
    for (s in c("mean", "rank-mean")) {
      r <- if (s == "mean") aggregateThenRank(o, FUN = mean) else rankThenAggregate(o, FUN = mean)
      t <- system.time(bootstrap(r, nboot = 1000, progress = "none"))
      cat(s, t[["user.self"]] + t[["sys.self"]], "\\n")
    }
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        rows = [(f"a{j}", f"c{i}", value) for i, row in enumerate(values) for j, value in enumerate(row)]
        pd.DataFrame(rows, columns=["algorithm", "case", "value"]).to_csv(path / "values.csv", index=False)
        (path / "bench.R").write_text(script)
        command = [rscript, str(path / "bench.R"), str(path / "values.csv")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {}
    return {name: float(seconds) for name, seconds in (line.split() for line in done.stdout.splitlines())}
