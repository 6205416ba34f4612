"""Ranking information on the page of a submission: the status of its team, and the gaps to other teams."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median, quantiles
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from challenges.models import Phase
from challenges.queries import phases_of
from evaluation.boards import words
from evaluation.catalogue import readable
from leaderboards.domain import states
from leaderboards.models import RankingVersion
from leaderboards.queries import rankings
from leaderboards.queries.current import current_standing, frozen_moments
from leaderboards.queries.home import stand_in, tables_for, tables_of
from leaderboards.queries.names import is_open, name_in, own_labels, shown
from leaderboards.queries.single_cases import WithheldCases, kept_in
from submissions.hooks import Gap, Placed, Stand
from submissions.models import Submission


def place_of(user: Any, submission: Submission, other: str) -> Placed | None:
    """Return the status of a submission's team in the ranking that the person can see, or None."""
    phase = submission.phase
    tables, before = tables_for([phase], user)
    if phase.pk not in tables:
        return None
    # The version that has this table: the same that the tables were read by.
    stored = _version(user, phase)
    if stored is not None and not is_open(stored):
        return None
    # The label of the team there: its name or pseudonym, and which of its methods this submission is.
    stand = stand_in(tables[phase.pk], _own_name(stored, submission), before.get(phase.pk))
    if stand is None:
        return None
    version = None if stored is None else shown(stored)
    table = tables[phase.pk] if version is None else version.table
    team_name = _own_name(version, submission)
    ranked = {team["submission"] for team in version.inputs["teams"]} if version else set()
    index = table["teams"].index(team_name)
    others = sorted(
        (team_index for team_index in range(len(table["teams"])) if team_index != index),
        key=lambda team_index: (
            table["orders"][0]["rank"][team_index] or len(table["teams"]) + 1,
            table["teams"][team_index],
        ),
    )
    other_names = tuple(table["teams"][team_index] for team_index in others)
    chosen = other if other in other_names else next(iter(other_names), "")
    key = rankings.key_of(phase, phases_of(phase.challenge))
    sees_cases = version is not None and user.has_perm("leaderboards.view_cases", phase)
    standing_facts = states.Stands(
        stand.rank_text,
        stand.teams,
        could_be=stand.could_be,
        is_this=str(submission.pk) in {str(one) for one in ranked},
    )
    return Placed(
        yours=states.STANDS.letter(standing_facts).subject,
        theirs=states.STANDS.letter(replace(standing_facts, team=submission.team.name)).subject,
        places=stand.places_text if stand.places else "",
        is_better=bool(stand.places and stand.places > 0),
        address=reverse("leaderboards:current", args=[phase.challenge.slug, key]),
        other=chosen,
        teams=other_names,
        gaps=tuple(compare(table, index, table["teams"].index(chosen) if chosen else None)),
        medians=_medians(version, kept_in(user, version)) if version is not None and sees_cases else {},
    )


def _own_name(version: RankingVersion | None, submission: Submission) -> str:
    entries = version.inputs["teams"] if version else []
    this = next((entry["name"] for entry in entries if entry["submission"] == str(submission.pk)), None)
    of_team = name_in(version, submission.team) if version else None
    return str(this or of_team or submission.team.name)


def public_stands_in(phase: Phase) -> dict[str, Stand]:
    """Return the status of each counting submission in the public ranking.

    Runs a constant number of queries.
    """
    everybody = AnonymousUser()
    table = tables_of([phase], everybody).get(phase.pk)
    version = _version(everybody, phase)
    if table is None or version is None:
        return {}
    stands = {str(entry["submission"]): stand_in(table, entry["name"]) for entry in version.inputs["teams"]}
    return {
        key: Stand(stand.rank_text, stand.could_be, stand.teams) for key, stand in stands.items() if stand is not None
    }


def ranks_of(user: Any, phases: Sequence[Phase], teams: Sequence[str]) -> dict[tuple[int, str], str]:
    """Return the ranks of teams in phases, limited to rankings that the person can see.

    Runs a constant number of queries.
    """
    rank_texts = {}
    tables = tables_of(phases, user)
    labels = own_labels([phase for phase in phases if phase.pk in tables], teams)
    for phase, table in tables.items():
        for team in teams:
            stand = stand_in(table, labels.get((phase, team), team))
            if stand is not None:
                could = f" ({stand.set_text})" if stand.set_text else ""
                rank_texts[phase, team] = f"{stand.rank_text}{could} of {stand.teams}"
    return rank_texts


def _version(user: Any, phase: Phase) -> RankingVersion | None:
    standing = current_standing(phase, until=frozen_moments([phase], user).get(phase.pk))
    if standing is None:
        return None
    standing.version.phase = phase
    return standing.version


@dataclass(frozen=True)
class Scale:
    """The line on which all regions of a metric are drawn, from the worst (0) to the best (1)."""

    low: float
    high: float
    higher_is_better: bool

    def at(self, value: float | None) -> float | None:
        """Share of the line at which a value is drawn; None without a value."""
        if value is None:
            return None
        share = 0.5 if self.high == self.low else (value - self.low) / (self.high - self.low)
        return share if self.higher_is_better else 1 - share

    def span(self, low: float | None, high: float | None) -> tuple[float, float] | None:
        """Both ends of a range on the line; None without a range."""
        ends = [share for share in (self.at(low), self.at(high)) if share is not None]
        return (min(ends), max(ends)) if len(ends) == 2 else None


def _scale(orders: Sequence[Mapping[str, Any]], drawn: Sequence[int]) -> Scale:
    """Scale of a metric over its regions, for a comparison of the teams at the positions `drawn`.

    It covers their values and resampling ranges and the middle half of all teams. With the values of the two alone, any
    difference would fill the line; with the values of all, one team that failed would hide every other difference.
    """
    covered = []
    for order in orders:
        scores = [value for value in order["score"] if value is not None]
        # Half of the teams are between these; the median is among them.
        covered += quantiles(scores, n=4, method="inclusive") if len(scores) > 1 else scores
        covered += [
            order[name][index]
            for name in ("score", "score_low", "score_high")
            for index in drawn
            if order[name][index] is not None
        ]
    return Scale(min(covered, default=0.0), max(covered, default=0.0), bool(orders[0]["higher"]))


def compare(table: Mapping[str, Any], own_index: int, other: int | None) -> list[Gap]:
    """Compare the teams at two positions of a ranking table, metric by metric and region by region."""
    # Where a phase ranks in several ways, each metric is listed once.
    orders = [
        order
        for order in table["orders"]
        if order["metric"] is not None and order["ranking"] == table["orders"][0]["ranking"]
    ]
    by_metric: dict[str, list[Mapping[str, Any]]] = {}
    for order in orders:
        by_metric.setdefault(order["metric"], []).append(order)
    drawn = [own_index] if other is None else [own_index, other]
    scales = {metric: _scale(regions, drawn) for metric, regions in by_metric.items()}
    return [_gap(order, scales[order["metric"]], own_index, other) for order in orders]


def _gap(order: Mapping[str, Any], scale: Scale, own_index: int, other: int | None) -> Gap:
    values = order["score"]
    scores = [value for value in values if value is not None]
    middle = median(scores) if scores else None
    mine, theirs = values[own_index], None if other is None else values[other]
    leads = None
    if mine is not None and theirs is not None and mine != theirs:
        leads = (mine > theirs) == order["higher"]
    return Gap(
        label=" ".join(part for part in (readable(order["title"]), order["region"]) if part),
        unit=order["unit"] or "",
        own=scale.at(mine),
        other=scale.at(theirs),
        median=scale.at(middle),
        own_range=scale.span(order["score_low"][own_index], order["score_high"][own_index]),
        other_range=None if other is None else scale.span(order["score_low"][other], order["score_high"][other]),
        **{
            f"{name}_text": words.score(value, order["decimals"])
            for name, value in (("own", mine), ("other", theirs), ("median", middle))
        },
        leads=leads,
    )


def _medians(version: RankingVersion, withheld: WithheldCases) -> dict[str, dict[str, str]]:
    """Of the hardest cases the median of the teams, as text, by label of metric and region."""
    orders = {order["key"]: order for order in version.table["orders"]}
    return {
        f"{orders[key]['metric']}/{orders[key]['region'] or ''}": {
            case["case"]: words.score(case["median"], orders[key]["decimals"]) for case in cases
        }
        for key, cases in withheld.told(version.analysis.findings.get("hardest", {})).items()
        if key in orders and orders[key]["metric"] is not None
    }
