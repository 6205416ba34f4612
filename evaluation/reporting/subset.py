"""The best few of a long field: their ranks and intervals stay those of the whole field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MATRICES = ("p_values", "p_adjusted", "significantly_better")


def best_of(document: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Keep the algorithms of the first `number` ranks in every ranking of a document.

    Algorithms that are tied at the last of these ranks are all kept.

    Parameters
    ----------
    document
        A ranking document.
    number
        Number of ranks to show, at least 1.

    Returns
    -------
    dict
        A copy for display. Its numbers come from all algorithms, so it is not an independent ranking document.
    """
    overall = document.get("overall")
    shortened: Any = overall
    if isinstance(overall, list):
        shortened = [_shortened(entry, number) for entry in overall]
    elif overall:
        shortened = _shortened(overall, number)
    names = {a["name"] for a in (shortened if isinstance(shortened, dict) else {"algorithms": []})["algorithms"]}
    rankings = [_shortened(entry, number, names or None) for entry in document["rankings"]]
    return {**document, "rankings": rankings, "overall": shortened}


def _shortened(entry: Mapping[str, Any], number: int, names: set[str] | None = None) -> dict[str, Any]:
    if names is None:
        edge = sorted(a["rank"] for a in entry["algorithms"])[: max(number, 1)][-1]
        places = [index for index, a in enumerate(entry["algorithms"]) if a["rank"] <= edge]
    else:
        places = [index for index, a in enumerate(entry["algorithms"]) if a["name"] in names]
    matrices = {
        key: [[entry[key][row][column] for column in places] for row in places]
        for key in _MATRICES
        if entry.get(key) is not None
    }
    return {**entry, "algorithms": [entry["algorithms"][index] for index in places], **matrices}
