"""Time to pool a large federation: ``python -m tests.performance.bench_sites``."""

from __future__ import annotations

import argparse
import resource
import sys
import time
from typing import Any

import numpy as np
import pandas as pd

from evaluation.assessment import parse
from evaluation.federation import pool, summarise

METRICS = 6


def _assessment(kind: str) -> Any:
    steps: Any = {"over": ["metric"]}
    if kind == "places":
        steps = [steps, {"over": ["site"], "rerank": False}]
    scheme = "aggregate_then_rank" if kind == "sums" else "rank_then_aggregate"
    names = [f"metric-{c}" for c in range(METRICS)]
    metrics = [{"id": "dsc", "name": name, "policy": {"missing": 0}} for name in names]
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "WT", "labels": [1]}],
            "metrics": metrics,
            "ranking": {"scheme": scheme, "combine": steps},
            "uncertainty": {"bootstrap": 1000, "seed": 1, "resample": "case", "strata": ["site"]},
        }
    )


def _results(site: str, cases: int, algorithms: int, generator: np.random.Generator) -> pd.DataFrame:
    index = pd.MultiIndex.from_product(
        [range(METRICS), [f"{site}-{i:04d}" for i in range(cases)], [f"net-{j:02d}" for j in range(algorithms)]],
        names=["metric", "case", "algorithm"],
    )
    table = index.to_frame(index=False)
    table["metric"] = "metric-" + table["metric"].astype(str)
    table["region"], table["outcome"] = "WT", "ok"
    table["value"] = np.round(np.clip(generator.normal(0.8, 0.08, len(table)), 0, 1), 6)
    return table


def main() -> int:
    """Time both kinds of ranking; the bars are 20 s for sums and 2 s for places."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=32)
    parser.add_argument("--algorithms", type=int, default=40)
    parser.add_argument("--cases", type=int, default=260)
    options = parser.parse_args()
    for kind, disclosure, bar in (("sums", "moments", 20.0), ("places", "places", 2.0)):
        assessment, generator = _assessment(kind), np.random.default_rng(1)
        summaries = []
        start = time.perf_counter()
        for k in range(options.sites):
            table = _results(f"s{k}", options.cases if kind == "sums" else 20, options.algorithms, generator)
            summaries.append(summarise(assessment, table, site=f"s{k}", disclosure=disclosure))
        made, used = time.perf_counter(), time.process_time()
        pool(assessment, summaries)
        seconds, work = time.perf_counter() - made, time.process_time() - used
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        sys.stdout.write(
            f"{kind}: {options.sites} summaries in {made - start:.1f} s, pooled in {seconds:.1f} s "
            f"({work:.1f} s of work; bar {bar:g} s), {memory:.0f} MiB\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
