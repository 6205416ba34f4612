"""States of the sites of a federation, and the registered rule for missing sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.federation.errors import Refusal
from evaluation.federation.reading import check_form
from evaluation.federation.schemas import FEDERATION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WORDS: Final[Mapping[str, str]] = {
    "not_arrived": "sent nothing",
    "withdrawn": "withdrew",
    "refused": "was refused",
    "left_out": "was left out",
    "joined": "joined another site",
}


@dataclass(frozen=True)
class States:
    """State and reason of every site that is not included, by name, with notes about them."""

    others: Mapping[str, tuple[str, str | None]]

    @property
    def notes(self) -> list[str]:
        """A sentence for every site that is not included."""
        sentences = []
        for site, (state, reason) in sorted(self.others.items()):
            sentences.append(f"Site {site} {_WORDS[state]}{f': {reason}' if reason else ''}.")
        return sentences

    def documents(self, included: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """All sites by name, each with its state."""
        rows: dict[str, dict[str, Any]] = {}
        for summary in included:
            rows[summary["site"]] = {
                "site": summary["site"],
                "state": "included",
                "reason": None,
                "units": summary["units"],
                "grades": summary.get("grades"),
            }
        for site, (state, reason) in self.others.items():
            rows[site] = {"site": site, "state": state, "reason": reason, "units": None, "grades": None}
        return [rows[site] for site in sorted(rows)]


def read_states(federation: Mapping[str, Any] | None, included: Sequence[Mapping[str, Any]]) -> States:
    """Read a federation and compare it with the received summaries.

    Raises
    ------
    Refusal
        ``invalid``, ``other_sites`` for a file without a site or a site without a file, or ``wait`` if
        nothing can be ranked yet under the registered rule.
    """
    if federation is None:
        return States({})
    check_form(federation, FEDERATION)
    rows: dict[str, tuple[str, str | None]] = {}
    for row in federation["sites"]:
        if row["site"] in rows:
            raise Refusal("invalid", f"the federation names site {row['site']} twice")
        rows[row["site"]] = (row["state"], row.get("reason"))
    arrived = [summary["site"] for summary in included]
    for site in arrived:
        if site not in rows:
            raise Refusal("other_sites", f"site {site} sent a summary, but is no site of the federation")
        if rows[site][0] != "included":
            raise Refusal("other_sites", f"there is a summary of site {site}, whose state is {rows[site][0]!r}")
    for site, (state, _) in rows.items():
        if state == "included" and site not in arrived:
            raise Refusal("other_sites", f"site {site} is included, but there is no summary of it")
    _check_rule(federation, rows, len(arrived))
    return States({site: entry for site, entry in rows.items() if entry[0] != "included"})


def _check_rule(federation: Mapping[str, Any], rows: Mapping[str, tuple[str, str | None]], arrived: int) -> None:
    if federation.get("if_missing", "wait") == "rank_without" and "sites_required" not in federation:
        return
    required = federation.get("sites_required", "all")
    # Who withdrew or was left out for a reason does not come any more; waiting is for those that may.
    wanted = arrived + sum(1 for state, _ in rows.values() if state == "not_arrived") if required == "all" else required
    if arrived < wanted:
        missing = sorted(site for site, (state, _) in rows.items() if state == "not_arrived")
        names = f" (missing: {', '.join(missing[:5])})" if missing else ""
        raise Refusal("wait", f"{arrived} of {wanted} required sites have arrived{names}: nothing is ranked yet")
