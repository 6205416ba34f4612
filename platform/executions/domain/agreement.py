"""How far runs of one algorithm agree, in sentences for organizers."""

from collections.abc import Mapping
from typing import Any

from evaluation.running.efficiency import metric_named


def agreement_sentences(agreement: Mapping[str, Any]) -> list[str]:
    """Say whether repeated runs gave the same predictions, and how far what they cost lies apart; empty for a first run.

    Examples
    --------
    >>> agreement_sentences({"runs": 2, "same_predictions": 1, "costs": {}})
    ['This is run 2 of the same algorithm on these cases; all of them gave the same predictions, byte for byte.']
    """
    if not agreement:
        return []
    runs, same = agreement["runs"], agreement["same_predictions"]
    others = runs - 1 - same
    first = f"This is run {runs} of the same algorithm on these cases"
    if others:
        words = "The earlier run" if runs == 2 else f"{others} of the {runs - 1} earlier runs"
        sentences = [f"{first}. {words} gave other predictions: the algorithm is not deterministic."]
    else:
        sentences = [f"{first}; all of them gave the same predictions, byte for byte."]
    for name, own in agreement["costs"].items():
        cases = "one case" if own["cases"] == 1 else f"{own['cases']} cases"
        sentences.append(
            f"{metric_named(name).label}: over {cases}, runs lie {own['spread']:.1%} apart at the median"
            f" and {own['widest']:.1%} at most."
        )
    return sentences
