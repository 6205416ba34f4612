"""Claims of reports about the course of a challenge and its participants.

Each sentence has a condition.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from challenges.domain.limits import limit_words
from evaluation.claims.catalogue import Catalogue, Claim
from evaluation.figures.cases import hardest_first
from evaluation.wording import joined
from reports.exposure.domain.words import counted, were

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment import Assessment
    from reports.exposure.queries.facts import Facts, PhaseFacts

CATALOGUE: Final = Catalogue()
"""The claims of report items about facts that the platform counted."""
UNSUCCESSFUL: Final = ("refused", "withdrawn", "failed")
COUNTS: Final = {
    "last": "the last scored submission",
    "best": "the best scored submission",
    "chosen": "the submission that the team chose before the deadline",
}


@dataclass(frozen=True)
class Run:
    """A challenge, with the names that its phases have in the report."""

    facts: Facts
    names: Sequence[str]

    def named(self, state: str) -> list[str]:
        """Names of the phases in a state."""
        return [name for name, phase in zip(self.names, self.facts.phases, strict=True) if phase.state == state]

    @property
    def hidden(self) -> list[str]:
        """Names of the phases that the report does not describe."""
        return [name for name, phase in zip(self.names, self.facts.phases, strict=True) if phase.level == "nothing"]

    @property
    def unranked(self) -> bool:
        """True if a team with an accepted submission is in no ranking that the report can show."""
        return any(
            phase.submitting_teams > (0 if phase.ranking is None else len(phase.ranking.teams))
            for phase in self.facts.phases
            if phase.level != "nothing"
        )


@dataclass(frozen=True)
class Named:
    """A phase under its name in the report, with its assessment if that is described."""

    name: str
    phase: PhaseFacts
    assessment: Assessment | None = None


def _made(facts: Named) -> str:
    phase = facts.phase
    numbers = sorted(phase.made_by.values())
    unsuccessful = sum(phase.states.get(state, 0) for state in UNSUCCESSFUL)
    return (
        f"{counted(len(numbers), 'team')} made {counted(sum(numbers), 'submission')} that were accepted "
        f"(median {median(numbers):g}, maximum {numbers[-1]} per team). Refused, withdrawn or failed: {unsuccessful}; "
        f"late, and therefore not ranked: {phase.late}."
    )


def _drawn(facts: Named) -> str:
    ranking, assessment = facts.phase.ranking, facts.assessment
    assert ranking is not None
    assert assessment is not None
    uncertainty = assessment.uncertainty
    return (
        f"{facts.name}: {ranking.bootstrap:,} bootstrap {'sample' if ranking.bootstrap == 1 else 'samples'} with seed {ranking.seed}, "
        f"drawn by {', then '.join(uncertainty.resample)}, the same for all teams, metrics and regions; resampling ranges hold "
        f"the middle {100 * uncertainty.interval:g} % of the ranks."
    )


def _sent(facts: Named) -> str:
    ranking, assessment = facts.phase.ranking, facts.assessment
    assert ranking is not None
    assert assessment is not None
    return (
        f"{facts.name}: {counted(ranking.bootstrap, 'draw')} of {joined(ranking.sent)} from submitted replicates or standard errors; "
        f"resampling ranges contain the middle {100 * assessment.uncertainty.interval:g} % of the ranks and are only as good as what was "
        "submitted."
    )


def _strata(assessment: Assessment) -> str:
    return " within strata where there are several (van Elteren)," if assessment.uncertainty.strata else ""


CYCLE: Final = CATALOGUE.group(
    Claim(
        "cycle.open",
        "A phase is open.",
        lambda run: bool(run.named("open")),
        lambda run: f"Submissions are still accepted: {'; '.join(run.named('open'))}.",
        "Submissions are still accepted: Final.",
    ),
    Claim(
        "cycle.between",
        "None is open, and one is to open.",
        lambda run: not run.named("open") and bool(run.named("upcoming")),
        lambda _: "No phase takes submissions at present.",
        "No phase takes submissions at present.",
    ),
    Claim(
        "cycle.over",
        "All phases are closed.",
        lambda run: not run.named("open") and not run.named("upcoming"),
        lambda _: "No phase takes submissions any more.",
        "No phase takes submissions any more.",
    ),
    Claim(
        "cycle.further",
        "A phase is to open.",
        lambda run: bool(run.named("upcoming")),
        lambda _: "Further phases are to open.",
        "Further phases are to open.",
    ),
)
ANNOUNCED: Final = CATALOGUE.group(
    Claim(
        "announced.sealed",
        "Of a phase, the report may say nothing.",
        lambda run: bool(run.hidden),
        lambda run: f"Still sealed and no part of this report: {'; '.join(run.hidden)}.",
        "Still sealed and no part of this report: Final.",
    ),
    Claim(
        "announced.unranked",
        "A team with an accepted submission is in no ranking that the report shows.",
        lambda run: run.unranked,
        lambda _: "Some teams with an accepted submission are in no ranking of this report.",
        "Some teams with an accepted submission are in no ranking of this report.",
    ),
    Claim(
        "announced.all",
        "Neither is so.",
        lambda run: not run.hidden and not run.unranked,
        lambda _: "No team is left out of the rankings of this report.",
        "No team is left out of the rankings of this report.",
    ),
)
CLOSE: Final = CATALOGUE.group(
    Claim(
        "close.some",
        "Members of teams share affiliation or e-mail domain with an organizer.",
        lambda run: bool(run.facts.organizer_affinity["close"]),
        lambda run: (
            f"{run.facts.organizer_affinity['close']} of {counted(run.facts.organizer_affinity['members'], 'member')} of teams "
            f"{'shares' if run.facts.organizer_affinity['close'] == 1 else 'share'} an affiliation or the domain of an e-mail address "
            f"with an organizer; they belong to {counted(run.facts.organizer_affinity['teams'], 'team')}."
        ),
        "2 of 9 members of teams share an affiliation or the domain of an e-mail address with an organizer; they belong to 1 team.",
    ),
    Claim(
        "close.none",
        "Nobody does, and there are members.",
        lambda run: not run.facts.organizer_affinity["close"] and bool(run.facts.organizer_affinity["members"]),
        lambda run: (
            f"None of the {counted(run.facts.organizer_affinity['members'], 'member')} of teams shares an affiliation or the domain of an "
            "e-mail address with an organizer."
        ),
        "None of the 9 members of teams shares an affiliation or the domain of an e-mail address with an organizer.",
    ),
    Claim(
        "close.always",
        "Always.",
        lambda _: True,
        lambda _: "Organizers cannot join a team with their own account.",
        "Organizers cannot join a team with their own account.",
    ),
)
PEOPLE: Final = CATALOGUE.group(
    Claim(
        "people.registered",
        "Always.",
        lambda _: True,
        lambda run: (
            f"{counted(run.facts.people, 'person', 'people')[:1].upper()}{counted(run.facts.people, 'person', 'people')[1:]} "
            f"registered in {counted(run.facts.teams, 'team')}."
        ),
        "7 people registered in 3 teams.",
    )
)
ATTEMPTS: Final = CATALOGUE.group(
    Claim(
        "attempts.limit",
        "Always.",
        lambda _: True,
        lambda facts: (
            f"{facts.name}: submissions per team: {limit_words(facts.phase.per_day, facts.phase.in_total)}; "
            f"{COUNTS[facts.phase.counts]} of a team counts."
        ),
        "Final: submissions per team: 2 in total; the last scored submission of a team counts.",
    ),
    Claim(
        "attempts.made",
        "Submissions were taken, and the report may say of whom.",
        lambda facts: bool(facts.phase.made_by),
        _made,
        "3 teams made 4 submissions that were accepted (median 1, maximum 2 per team). Refused, withdrawn or failed: 0; late, and therefore not ranked: 0.",
    ),
)
COVERED: Final = CATALOGUE.group(
    Claim(
        "covered.teams",
        "There is a ranking.",
        lambda facts: facts.phase.ranking is not None,
        lambda facts: (
            f"{facts.name}: this report covers {len(facts.phase.ranking.teams)} of {counted(facts.phase.submitting_teams, 'team')} with an "
            "accepted submission."
        ),
        "Final: this report covers 3 of 3 teams with an accepted submission.",
    )
)


def _ranked(facts: Named) -> str:
    ranking, assessment = facts.phase.ranking, facts.assessment
    assert ranking is not None
    assert assessment is not None
    scored = joined([metric.title for metric in assessment.metrics])
    return f"{facts.name}: {were(len(ranking.teams), 'team')} ranked on {counted(ranking.cases, 'case')}, scored with {scored}."


RANKED: Final = CATALOGUE.group(
    Claim(
        "ranked.teams",
        "There is a ranking.",
        lambda facts: facts.phase.ranking is not None,
        _ranked,
        "Final: 3 teams were ranked on 40 cases, scored with DSC and NSD.",
    )
)


@dataclass(frozen=True)
class Hard:
    """The cases on which the field did worst by one metric and region, the worst first."""

    what: str
    cases: Sequence[str]


def hardest(raw: Mapping[str, Any], most: int) -> list[str]:
    """Return the cases with the worst medians over the field, at most `most`.

    A case is excluded if a case that is not in the list has the same median.

    Examples
    --------
    >>> hardest({"cases": ["a", "b", "c"], "values": [[0.9], [0.1], [0.5]], "direction": "higher"}, 2)
    ['b', 'c']
    >>> hardest({"cases": ["a", "b", "c"], "values": [[0.5], [0.1], [0.5]], "direction": "higher"}, 2)
    ['b']
    >>> hardest({"cases": ["a", "b"], "values": [[0.5], [0.5]], "direction": "higher"}, 2)
    []
    """
    medians = [
        (median([value for value in raw["values"][index] if value is not None]), str(raw["cases"][index]))
        for index in hardest_first(raw)
        if any(value is not None for value in raw["values"][index])
    ]
    ends = [
        position
        for position in range(1, len(medians))
        if medians[position][0] != medians[position - 1][0] and position <= most
    ]
    return [case for _, case in medians[: max(ends, default=0)]]


HARDEST: Final = CATALOGUE.group(
    Claim(
        "hardest.cases",
        "Some cases have a worse median than all others.",
        lambda facts: bool(facts.cases),
        lambda facts: (
            f"By {facts.what}, the teams did worst on {joined(list(facts.cases))}, as the median of their values says."
        ),
        "By DSC, liver, the teams did worst on case-3 and case-7, as the median of their values says.",
    )
)


@dataclass(frozen=True)
class Spread:
    """A team whose rank depends on metric and region: its best and its worst, each with where."""

    team: str
    best: tuple[float, str]
    worst: tuple[float, str]


DEPENDS: Final = CATALOGUE.group(
    Claim(
        "depends.rank",
        "The best and the worst rank of a team are one apart or more.",
        lambda spread: spread.worst[0] - spread.best[0] >= 1,
        lambda spread: (
            f"{spread.team}: rank {spread.best[0]:g} by {spread.best[1]}, rank {spread.worst[0]:g} by {spread.worst[1]}."
        ),
        "unet: rank 1 by DSC, liver, rank 3 by NSD, liver.",
    )
)
VERSION: Final = CATALOGUE.group(
    Claim(
        "version.stands",
        "There is a ranking.",
        lambda facts: facts.phase.ranking is not None,
        lambda facts: (
            f"{facts.name}: ranking version {facts.phase.ranking.number} of {counted(len(facts.phase.ranking.teams), 'team')} on "
            f"{counted(facts.phase.ranking.cases, 'case')}, standing since {facts.phase.ranking.since[:10]}, "
            f"SHA-256 {facts.phase.ranking.digest}."
        ),
        "Final: ranking version 4 of 3 teams on 40 cases, standing since 2026-05-01, SHA-256 9f2c….",
    )
)
STATISTICS: Final = CATALOGUE.group(
    Claim(
        "statistics.drawn",
        "The ranking was resampled here.",
        lambda facts: bool(facts.phase.ranking.bootstrap) and facts.phase.ranking.drawn_here,
        _drawn,
        "Final: 1,000 bootstrap samples with seed 1, drawn by case, the same for all teams, metrics and regions; resampling ranges hold the middle 95 % of the ranks.",
    ),
    Claim(
        "statistics.sent",
        "Values of the whole data set were measured elsewhere, and draws of them were sent.",
        lambda facts: bool(facts.phase.ranking.bootstrap) and bool(facts.phase.ranking.sent),
        _sent,
        "Final: 1,000 draws of fid from submitted replicates or standard errors; resampling ranges contain the middle 95 % of the ranks "
        "and are only as good as what was submitted.",
    ),
    Claim(
        "statistics.not_drawn",
        "The ranking was not resampled.",
        lambda facts: not facts.phase.ranking.bootstrap,
        lambda facts: f"{facts.name}: the ranking was not resampled, so nothing says how sure it is.",
        "Final: the ranking was not resampled, so nothing says how sure it is.",
    ),
    Claim(
        "statistics.tested",
        "There are two teams or more, and a metric with a value for each case.",
        lambda facts: (
            len(facts.phase.ranking.teams) > 1 and any(metric.level == "case" for metric in facts.assessment.metrics)
        ),
        lambda facts: (
            f"Pairs of teams were compared by one-sided Wilcoxon signed rank tests,{_strata(facts.assessment)} adjusted by Holm’s "
            "method."
        ),
        "Pairs of teams were compared by one-sided Wilcoxon signed rank tests, adjusted by Holm’s method.",
    ),
)


def _recomputed(named: Named) -> str:
    assert named.phase.ranking is not None
    alone = "" if named.phase.bundle_is_public else ", which organizers alone may download,"
    return (
        f"The bundle of the ranking{alone} holds assessment, results, seed and digests; “python -m evaluation verify bundle.zip” "
        f"recomputes it and compares the digest {named.phase.ranking.digest}."
    )


SOFTWARE: Final = CATALOGUE.group(
    Claim(
        "software.versions",
        "There is a ranking.",
        lambda named: named.phase.ranking is not None,
        lambda named: (
            f"{named.name} was scored and ranked with "
            f"{', '.join(f'{name} {version}' for name, version in sorted(named.phase.ranking.versions.items()))}."
        ),
        "Final phase was scored and ranked with numpy 2.2, podium 1.0.",
    ),
    Claim(
        "software.bundle",
        "There is a ranking; who may download its bundle is said where not everybody may.",
        lambda named: named.phase.ranking is not None,
        _recomputed,
        "The bundle of the ranking holds assessment, results, seed and digests.",
    ),
)
"""With what was scored and ranked, and how to compute it again."""
