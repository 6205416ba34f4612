"""The facts of a challenge with the small questions that several attacks ask of them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from evaluation.assessment import Assessment
from evaluation.catalogue import option_words
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import State
from evaluation.designs.document.words import value_words
from evaluation.problems import kind_of
from reports.exposure.queries.audience import Level
from reports.exposure.queries.facts import Facts, PhaseFacts, RankingFacts

MOST_WORDS: Final = 240


class Cover(StrEnum):
    """Cover against an attack."""

    PREVENTED = "prevented"
    DETECTABLE = "detectable"
    UNCOVERED = "uncovered"


@dataclass(frozen=True)
class Evidence:
    """A fact that a finding rests on, and where it comes from."""

    text: str
    kind: str
    source: str
    digest: str = ""
    address: str = ""


@dataclass(frozen=True)
class Finding:
    """Finding about one of MAN-1 … MAN-18 in this challenge."""

    number: int
    attack: str
    actor: str
    cover: Cover
    conclusion: str
    evidence: tuple[Evidence, ...]

    @property
    def identity(self) -> str:
        """Identifier in the catalogue of attacks."""
        return f"MAN-{self.number}"


@dataclass(frozen=True)
class Case:
    """The facts with the small questions that several attacks ask."""

    facts: Facts

    @property
    def phases(self) -> list[PhaseFacts]:
        """Phases that have a test set or a ranking; what has neither cannot be manipulated yet."""
        return [phase for phase in self.facts.phases if phase.test_sets or phase.ranking]

    @property
    def visible(self) -> list[PhaseFacts]:
        """Those of which the reader may know more than that they exist."""
        return [phase for phase in self.phases if phase.level is not Level.NOTHING]

    @property
    def has_decoys(self) -> bool:
        """True if each phase with a test set requests more cases than it scores (MAN-22).

        Only information that the reader is allowed to see is considered.
        """
        last = [phase.test_sets[-1] for phase in self.phases if phase.test_sets]
        return bool(last) and all(entry.get("decoys", 0) for entry in last)

    @property
    def ranked(self) -> list[PhaseFacts]:
        """Those with a ranking that the reader may see."""
        return [phase for phase, _ in self.rankings]

    @property
    def rankings(self) -> list[tuple[PhaseFacts, RankingFacts]]:
        """Phases with a ranking that the reader can see, with their rankings."""
        return [(phase, phase.ranking) for phase in self.visible if phase.ranking is not None]

    def value(self, parameter: str) -> Any:
        """Return a value of the design, or `None` if the design has none.

        It is the value of the first task with a value, otherwise the value of the challenge.
        """
        if self.facts.design is None:
            return None
        document = self.facts.design.document
        for values in [*document.each_task(), document.values()]:
            entry = values.entry(parameter)
            if entry.state is State.PROVIDED and entry.value is not None:
                return entry.value
        return None

    def said(self, parameter: str) -> list[Evidence]:
        """The registered value as evidence; nothing where there is none."""
        design, value = self.facts.design, self.value(parameter)
        if design is None or value is None:
            return []
        definition = shipped().parameters[parameter]
        words = value_words(definition, value, public=True)
        short = words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS].rsplit(' ', 1)[0]} …"
        return [
            Evidence(
                f"{definition.label}: {short}",
                "parameter",
                f"{design.label}, {parameter}",
                design.digest,
                design.address,
            )
        ]

    def counted(self, text: str, source: str) -> Evidence:
        """A number that the platform counted."""
        return Evidence(text, "platform", source)

    def ranking(self, phase: PhaseFacts, text: str) -> Evidence:
        """Return a statement of a ranking as evidence."""
        ranking = phase.ranking
        if ranking is None:
            raise LookupError(f"{phase.name} has no ranking")
        return Evidence(
            text,
            "ranking",
            f"Ranking of {self.facts.named(phase)}, version {ranking.number}",
            ranking.digest,
            ranking.address,
        )

    def assessment(self, phase: PhaseFacts, text: str) -> Evidence:
        """Return a statement of the executed assessment as evidence."""
        source = f"Assessment of {self.facts.named(phase)}"
        return Evidence(text, "assessment", source, phase.assessment_digest, phase.assessment_address)

    def log(self, entry: dict[str, Any], text: str) -> Evidence:
        """An entry of the audit log."""
        return Evidence(text, "audit", f"Audit log, entry {entry['sequence']}", entry["digest"])

    def registered_since(self) -> str:
        """Since when the assessments that phases run with are registered: the latest of them; empty without a registration."""
        if self.facts.design is None:
            return ""
        return max(
            (phase.assessment_since or self.facts.design.since for phase in self.phases or self.facts.phases),
            key=datetime.fromisoformat,
            default=self.facts.design.since,
        )

    def other_assessments(self) -> list[dict[str, Any]]:
        """Deviations in what is computed: another date is none, although it needs a new version as well."""
        return [
            entry
            for entry in self.deviates("approved", "unregistered", "superseded")
            if entry["registered_digest"] != entry["executed_digest"]
        ]

    def deviates(self, *kinds: str) -> list[dict[str, Any]]:
        """Return the deviations of the phases, optionally limited to some kinds.

        They are publicly marked from the first day.
        """
        return [
            {**entry, "phase": self.facts.named(phase)}
            for phase in self.facts.phases
            for entry in phase.deviations
            if not kinds or entry["kind"] in kinds
        ]


Judgement = tuple[Cover, str, list[Evidence]]
Judge = Callable[[Case], Judgement]


def created(case: Case) -> list[dict[str, Any]]:
    """Return the log entries about the creation of each phase, with its time and assessment."""
    return case.facts.entries("phase_created")


def first_submission(case: Case) -> str:
    """Moment of the first submission that was taken; empty before it."""
    return min((phase.first_submission for phase in case.facts.phases if phase.first_submission), default="")


def before_first(case: Case, since: str) -> bool:
    """Return whether a time is not later than the first submission, which is also true without a submission."""
    first = first_submission(case)
    return not first or datetime.fromisoformat(since) <= datetime.fromisoformat(first)


def days(since: str, until: str) -> int:
    """Whole days from one moment to another."""
    return (datetime.fromisoformat(until) - datetime.fromisoformat(since)).days


def same_moment(first: str | None, second: str) -> bool:
    """Return whether two moments are the same, regardless of their notation."""
    return bool(first and second) and datetime.fromisoformat(str(first)) == datetime.fromisoformat(second)


def twins(case: Case) -> list[tuple[PhaseFacts, int]]:
    """Return the number of groups of teams with the same result in every case, by phase."""
    identical_groups = []
    for phase, ranking in case.rankings:
        counts = Counter(team["result"] for team in ranking.teams)
        if groups := sum(count > 1 for count in counts.values()):
            identical_groups.append((phase, groups))
    return identical_groups


def metric_words(assessment: Assessment, index: int) -> str:
    """A metric with its options."""
    metric = assessment.metrics[index]
    options = option_words(metric.told_options)
    return f"{metric.title} ({options})" if options else metric.title


def missing_words(assessment: Assessment) -> str:
    """Describe the value of a missing case, metric by metric."""
    if words := kind_of(assessment).texts.missing_cases(assessment):
        return words.removeprefix("counts as ")
    kinds: dict[str, list[str]] = {}
    for metric in assessment.metrics:
        value = metric.policy.get("missing")
        kinds.setdefault("no value" if value is None else f"{value}".replace("_", " "), []).append(metric.title)
    return "; ".join(f"{kind} ({', '.join(names)})" for kind, names in kinds.items())


def counts_missing_cases(assessment: Assessment) -> bool:
    """Return whether a ranking shows the number of cases without a prediction per team.

    It shows them by its rows of cases, or by its answers.
    """
    return kind_of(assessment).evidence.counts_unanswered or any(
        metric.level == "case" for metric in assessment.metrics
    )


def excluded(assessment: Assessment) -> bool:
    """Return whether some metric excludes missing cases."""
    return any(metric.policy.get("missing") == "exclude" for metric in assessment.metrics)


def versions(phase: PhaseFacts) -> str:
    """The software that a ranking was made with."""
    assert phase.ranking is not None  # asked of ranked phases only
    return ", ".join(
        f"{name} {version}"
        for name, version in sorted(phase.ranking.versions.items())
        if name in ("podium", "numpy", "scipy")
    )
