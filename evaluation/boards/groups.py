"""The groups of cases as tables: which were ranked, how many cases they have, who is first there, how far the ranks change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from evaluation.analyses.case_groups import PARTS, SHOWN_FIRST, ordered
from evaluation.claims.catalogue import Said
from evaluation.claims.group_leads import first_words
from evaluation.claims.sections import LEADS_BY_GROUP, Groups


@dataclass(frozen=True)
class GroupRow:
    """A group of cases.

    Attributes
    ----------
    change
        One minus Kendall's τ between the ranks in the group and those on all cases, as text.
    first
        Who is first in the group with the interval of its lead, or the number of possible winners. Nobody is named without an interval.
    """

    key: str
    label: str
    cases: int
    change: str
    first: str


@dataclass(frozen=True)
class GroupTable:
    """Groups of one characteristic: unfolded and folded ones.

    Attributes
    ----------
    note
        Sentence on the intervals of the leads, which are not adjusted for the number of groups.
    """

    title: str
    shown: Sequence[GroupRow]
    folded: Sequence[GroupRow]
    note: Said

    @property
    def total(self) -> int:
        """Number of groups."""
        return len(self.shown) + len(self.folded)


def group_tables(findings: Sequence[Mapping[str, Any]], order: str) -> list[GroupTable]:
    """The stored groups of cases, those first in which the ranks of an order change most; parts of a range from low to high.

    Examples
    --------
    >>> lead = {"has_interval": True, "text": "0.1 ahead"}
    >>> found = [{"key": f"site:{n}", "title": "site", "label": str(n), "cases": 5, "first": {"overall": ["a"]},
    ...           "gaps": {"overall": n / 40}, "leads": {"overall": lead}} for n in range(1, 33)]
    >>> [table] = group_tables(found, "overall")
    >>> [row.label for row in table.shown[:3]], len(table.shown), len(table.folded), table.shown[0].change
    (['32', '31', '30'], 10, 22, '0.80')
    >>> table.shown[0].first
    'a ranks first, 0.1 ahead'
    >>> table.note[:77]
    'Each group is ranked separately. The lead has an interval in 32 of 32 groups.'
    """
    tables = []
    for title, entries in groupby(findings, key=lambda entry: entry["title"]):
        ranked_entries = [entry for entry in entries if order in entry.get("first", ())]
        is_range = all(str(entry["label"]).split(" (")[0] in PARTS for entry in ranked_entries)
        ranked_entries.sort(
            key=lambda entry: (0.0 if is_range else -entry["gaps"].get(order, 0.0), ordered(str(entry["label"])))
        )
        rows = [
            GroupRow(
                key=entry["key"],
                label=entry["label"],
                cases=entry["cases"],
                change=f"{entry['gaps'][order]:.2f}" if order in entry["gaps"] else "–",
                first=_first(entry, order),
            )
            for entry in ranked_entries
        ]
        if rows:
            tables.append(GroupTable(title, rows[:SHOWN_FIRST], rows[SHOWN_FIRST:], _note(ranked_entries, order)))
    return tables


def _note(entries: Sequence[Mapping[str, Any]], order: str) -> Said:
    leads = [entry.get("leads", {}).get(order) or {} for entry in entries]
    sizes = {entry["key"]: entry["cases"] for entry in entries}
    return LEADS_BY_GROUP.first(Groups(sizes, sum(bool(lead.get("has_interval")) for lead in leads), len(sizes)))


def _first(entry: Mapping[str, Any], order: str) -> str:
    """Return who is first in a group, with the lead; the number of possible winners where the lead has no interval."""
    lead = entry.get("leads", {}).get(order)
    if lead is None:  # stored by an earlier version, or without any value
        return "–"
    if not lead["has_interval"]:
        return str(lead["text"])
    names = ", ".join(entry["first"][order])
    return f"{first_words(names)}, {lead['text']}"
