"""Small boards as results tables, and the worked examples of the specification."""

import json
from pathlib import Path

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


def ranked(values, algorithms, *, cases=None, **changes):
    """The entry and the document of a board of one metric, higher is better."""
    document = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}],
        **changes,
    }
    made = rank(document, results(values, algorithms), cases=cases)
    return made["rankings"][0], made
