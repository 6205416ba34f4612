"""Who is first when the same results are ranked by another common scheme, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.ranking.explain import joined

if TYPE_CHECKING:
    from collections.abc import Mapping


def first_under_other_schemes(comparison: Mapping[str, Any]) -> str:
    """Who is first under the other schemes: the same, others beside them, or others in their place.

    Parameters
    ----------
    comparison
        As `evaluation.ranking.comparison.compare` returns it.

    Examples
    --------
    >>> from evaluation.ranking.comparison import compare
    >>> first_under_other_schemes(compare({"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 1}}))
    'a stays first under 1 of 1 other scheme. b shares first place under median.'
    """
    registered = set(comparison["winners"][comparison["reference"]])
    others = {label: set(names) for label, names in comparison["winners"].items() if label != comparison["reference"]}
    if not others:
        return "No other scheme was tried."
    stays = sum(registered <= names for names in others.values())
    subject = f"{joined(sorted(registered))} {'stays' if len(registered) == 1 else 'stay'}"
    noun = "scheme" if len(others) == 1 else "schemes"
    sentences = [f"{subject} first under {stays} of {len(others)} other {noun}."]
    newcomers = sorted(set().union(*others.values()) - registered)
    for name in newcomers:
        beside = [label for label, names in others.items() if name in names and registered <= names]
        instead = [label for label, names in others.items() if name in names and not registered <= names]
        parts = [
            f"{verb} under {joined(labels)}"
            for verb, labels in (("is first", instead), ("shares first place", beside))
            if labels
        ]
        sentences.append(f"{name} {joined(parts)}.")
    if not newcomers:
        sentences.append("Nobody else is first under any of them.")
    return " ".join(sentences)
