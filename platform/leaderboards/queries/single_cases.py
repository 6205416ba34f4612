"""Information about single cases that a person can see in a ranking.

The costs of running an algorithm on hidden cases are excluded.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from challenges.queries import assessment_by_digest
from evaluation.claims.resamples import without_case_names
from executions.queries.costs import kept_from
from leaderboards.models import RankingVersion
from leaderboards.queries.partial_tables import Group


@dataclass(frozen=True)
class WithheldCases:
    """Information about single cases of a ranking version that is withheld from a person, usually none.

    Attributes
    ----------
    metrics
        Names of the metrics whose values are withheld.
    orders
        Keys of the orders that use these metrics, alone or with others. Statements of such an order about a few cases reveal
        information about each.
    """

    metrics: frozenset[str] = frozenset()
    orders: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.metrics)

    def told(self, of_orders: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values by order, without the withheld orders."""
        return {key: value for key, value in of_orders.items() if key not in self.orders}

    def told_groups(self, findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the stored groups of cases with their visible information, without groups that have none."""
        if not self.orders:
            return findings
        groups = [
            entry | {name: self.told(entry.get(name, {})) for name in ("first", "gaps", "leads")} for entry in findings
        ]
        return [entry for entry in groups if entry["first"]]

    def told_group(self, group: Group | None) -> Group | None:
        """Return the table of a group of cases with the visible orders, or None without a group."""
        if group is None or not self.orders:
            return group
        table = {
            **group.table,
            **{
                name: [order for order in group.table.get(name, ()) if order["key"] not in self.orders]
                for name in ("orders", "reported")
            },
        }
        return replace(group, table=table) if table["orders"] else None


def kept_in(user: Any, version: RankingVersion) -> WithheldCases:
    """Return the information about single cases of a ranking version that is withheld from a person."""
    table = version.table
    metrics = kept_from(user, version.phase, table.get("costs", ()))
    if not metrics:
        return WithheldCases()
    assessment = assessment_by_digest(version.phase, version.assessment_digest)
    apart = {
        scheme.name
        for scheme in (assessment.rankings if assessment is not None else ())
        if scheme.metrics is not None and not metrics & set(scheme.metrics)
    }
    orders = (*table["orders"], *table.get("reported", ()))
    return WithheldCases(
        metrics,
        frozenset(
            order["key"]
            for order in orders
            if (order["metric"] in metrics if order["metric"] else order["ranking"] not in apart)
        ),
    )


def for_reader(user: Any, version: RankingVersion) -> RankingVersion:
    """Return a version whose sentences name single cases only to readers of results of single cases.

    The copy is for output and is never saved. A ranking can be public long before its cases are.
    """
    if user.has_perm("leaderboards.view_cases", version.phase):
        return version
    view = copy.copy(version)
    view.hides_cases = True  # type: ignore[misc]  # of this copy
    view.sentences = {key: [without_case_names(text) for text in texts] for key, texts in version.sentences.items()}
    view.names_cases = view.sentences != version.sentences  # type: ignore[misc]  # of this copy
    return view


def names_cases(document: Any) -> bool:
    """Return whether a ranking document names single cases: those that decide who is first, or that lack a value."""
    if isinstance(document, Mapping):
        if document.get("inserted") or any(document.get("changed_by") or ()):
            return True
        return any(names_cases(part) for part in document.values())
    return isinstance(document, list) and any(names_cases(part) for part in document)
