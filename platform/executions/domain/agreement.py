"""Agreement of runs of one algorithm, in sentences for organizers."""

from collections.abc import Mapping
from typing import Any

from evaluation.assessment.costs import metric_named


def agreement_sentences(agreement: Mapping[str, Any]) -> list[str]:
    """Describe whether repeated runs gave the same predictions, and how much their costs differ.

    The list is empty for a first run.

    Examples
    --------
    >>> agreement_sentences({"runs": 2, "same_predictions": 1, "costs": {}})
    ['The run before of the same algorithm gave the same predictions, byte for byte.']
    >>> agreement_sentences({"runs": 4, "same_predictions": 1, "costs": {}})
    ['Of the latest 3 runs before of the same algorithm, 1 gave the same predictions, byte for byte.']
    """
    if not agreement:
        return []
    earlier, same = agreement["runs"] - 1, agreement["same_predictions"]
    if earlier == 1:
        predictions = "the same predictions, byte for byte" if same else "other predictions"
        sentences = [f"The run before of the same algorithm gave {predictions}."]
    else:
        number = "all" if same == earlier else str(same or "none")
        sentences = [
            f"Of the latest {earlier} runs before of the same algorithm, {number} gave the same predictions, byte for byte."
        ]
    for name, cost in agreement["costs"].items():
        cases = "one case" if cost["cases"] == 1 else f"{cost['cases']} cases"
        # Runs of before there was one have no range of their means.
        means = f"; their means lie {cost['of_means']:.1%} apart" if "of_means" in cost else ""
        sentences.append(
            f"{metric_named(name).label}: over {cases}, runs lie {cost['spread']:.1%} apart at the median"
            f" and {cost['widest']:.1%} at most{means}."
        )
    return sentences
