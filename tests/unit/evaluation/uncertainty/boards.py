"""Small boards as results tables, and the worked examples of the specification."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd

from evaluation import rank

EXAMPLES = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))


def results(values, algorithms):
    """A table of values, cases × algorithms, as results."""
    rows = [
        (name, f"c{case:03d}", value)
        for case, row in enumerate(values)
        for name, value in zip(algorithms, row, strict=True)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"])


def shown_step_by_step(observed, flipped, share):
    """Pairs whose difference is shown by the step-down of section 3.3, and the first critical value.

    ``observed`` has the statistic of each pair, ``flipped`` those of all flips; the most extreme ``share`` of them counts.
    """
    alive, shown, first = set(observed), set(), None
    while alive:
        largest = np.sort(np.max([flipped[pair] for pair in alive], axis=0))[::-1]
        critical = largest[math.floor(share * len(largest) + 1e-9)]
        first = critical if first is None else first
        new = {pair for pair in alive if observed[pair] - 1e-9 > critical}
        if not new:
            break
        shown |= new
        alive -= new
    return shown, first


def ranked(values, algorithms, *, cases=None, **changes):
    """The entry and the document of a board of one metric, higher is better."""
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        **changes,
    }
    made = rank(document, results(values, algorithms), cases=cases)
    return made["rankings"][0], made
