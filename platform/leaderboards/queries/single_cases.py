"""What of single cases a person may see in a ranking: all but what running an algorithm took on hidden ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from challenges.queries import assessment_by_digest
from executions.queries.costs import kept_from
from leaderboards.models import RankingVersion
from leaderboards.queries.partial_tables import Group


@dataclass(frozen=True)
class WithheldCases:
    """What is kept from a person of the single cases of a ranking version; nothing as a rule.

    Attributes
    ----------
    metrics
        Names of the metrics whose values are kept.
    orders
        Keys of the orders that are made of them, alone or with others: what such an order says of a few cases tells of each.
    """

    metrics: frozenset[str] = frozenset()
    orders: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.metrics)

    def told(self, of_orders: Mapping[str, Any]) -> dict[str, Any]:
        """What stands under the keys of orders, without those that are kept."""
        return {key: value for key, value in of_orders.items() if key not in self.orders}

    def told_groups(self, findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The stored groups of cases, each with what may be told of it; none where nothing may."""
        if not self.orders:
            return findings
        groups = [entry | {name: self.told(entry.get(name, {})) for name in ("first", "gaps")} for entry in findings]
        return [entry for entry in groups if entry["first"]]

    def told_group(self, group: Group | None) -> Group | None:
        """The table of a group of cases with the orders that may be told; None where there is none."""
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
    """What is kept from a person of the single cases of a ranking version."""
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
