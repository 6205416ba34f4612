"""Finding one ranking in a ranking document, and reading it as columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Entry = Mapping[str, Any]


def select(
    document: Mapping[str, Any],
    *,
    metric: str | None = None,
    region: str | None = None,
    task: str | None = None,
    name: str | None = None,
) -> Entry:
    """Return the ranking of one metric, region and task, or the overall ranking if no metric is named.

    Parameters
    ----------
    document
        A ranking document.
    metric, region, task
        As in the entries of ``rankings``; an entry matches if every argument that is given does.
    name
        Name of the ranking where the assessment registers several.

    Raises
    ------
    LookupError
        If nothing matches.
    """
    wanted = {"metric": metric, "region": region, "task": task, "name": name}
    given = {key: value for key, value in wanted.items() if value is not None}
    candidates = entries(document) if metric is not None or region is not None else overall(document)
    if not candidates and metric is None and region is None:
        candidates = entries(document)
    for entry in candidates:
        if all(entry.get(key) == value for key, value in given.items()):
            return entry
    what = ", ".join(f"{key} {value!r}" for key, value in given.items()) or "overall ranking"
    message = f"the document has no ranking for {what}"
    raise LookupError(message)


def entries(document: Mapping[str, Any]) -> list[Entry]:
    """All rankings of single metrics, regions and tasks."""
    return list(document["rankings"])


def overall(document: Mapping[str, Any]) -> list[Entry]:
    """The overall rankings: none, one, or several."""
    found = document.get("overall")
    if not found:
        return []
    return list(found) if isinstance(found, list) else [found]


def main_entry(document: Mapping[str, Any]) -> Entry:
    """The ranking that a page shows first: the overall one, else the first there is."""
    return (overall(document) or entries(document))[0]


def names(entry: Entry) -> list[str]:
    """Algorithms of a ranking, best first."""
    return [algorithm["name"] for algorithm in entry["algorithms"]]


def is_combined(entry: Entry) -> bool:
    """Whether it is a ranking combined from others, and not that of one metric, region and task."""
    return "over" in entry or "metric" not in entry


def label(entry: Entry) -> str:
    """What a ranking is about, for headings.

    Examples
    --------
    >>> label({"metric": "dsc", "region": "anterior", "task": None})
    'dsc, anterior'
    >>> label({"algorithms": []})
    'overall'
    """
    parts = [str(entry[key]) for key in ("name", "task", "metric", "region") if entry.get(key)]
    if is_combined(entry):
        parts.append("overall")
    return ", ".join(parts)
