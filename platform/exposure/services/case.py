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
from exposure.queries.audience import Level
from exposure.queries.facts import Facts, PhaseFacts, RankingFacts

MOST_WORDS: Final = 240


class Cover(StrEnum):
    """How far an attack was covered."""

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
    """What one of MAN-1 … MAN-18 meets in this challenge."""

    number: int
    attack: str
    actor: str
    cover: Cover
    conclusion: str
    evidence: tuple[Evidence, ...]

    @property
    def identity(self) -> str:
        """As in the catalogue of attacks."""
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
        """Whether, as far as the reader may know, each phase with a test set asks for more cases than it scores (MAN-22)."""
        last = [phase.test_sets[-1] for phase in self.phases if phase.test_sets]
        return bool(last) and all(entry.get("decoys", 0) for entry in last)

    @property
    def ranked(self) -> list[PhaseFacts]:
        """Those with a ranking that the reader may see."""
        return [phase for phase, _ in self.rankings]

    @property
    def rankings(self) -> list[tuple[PhaseFacts, RankingFacts]]:
        """The same with their rankings."""
        return [(phase, phase.ranking) for phase in self.visible if phase.ranking is not None]

    def value(self, parameter: str) -> Any:
        """What the design says, of the challenge or of its first task that says something; `None` for nothing."""
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
        """Something that a ranking says."""
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
        """Something that the executed assessment says."""
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
        """Deviations of the phases, of some kinds where they are given: they are marked for everybody from the first day."""
        return [
            {**entry, "phase": self.facts.named(phase)}
            for phase in self.facts.phases
            for entry in phase.deviations
            if not kinds or entry["kind"] in kinds
        ]


Judgement = tuple[Cover, str, list[Evidence]]
Judge = Callable[[Case], Judgement]


def created(case: Case) -> list[dict[str, Any]]:
    """The entries of the log that say when each phase was made, and with which assessment."""
    return case.facts.entries("phase_created")


def first_submission(case: Case) -> str:
    """Moment of the first submission that was taken; empty before it."""
    return min((phase.first_submission for phase in case.facts.phases if phase.first_submission), default="")


def before_first(case: Case, since: str) -> bool:
    """Whether something was there before the first submission."""
    first = first_submission(case)
    return not first or datetime.fromisoformat(since) <= datetime.fromisoformat(first)


def days(since: str, until: str) -> int:
    """Whole days from one moment to another."""
    return (datetime.fromisoformat(until) - datetime.fromisoformat(since)).days


def same_moment(first: str | None, second: str) -> bool:
    """Whether two moments are the same, however they are written."""
    return bool(first) and datetime.fromisoformat(str(first)) == datetime.fromisoformat(second)


def twins(case: Case) -> list[tuple[PhaseFacts, int]]:
    """How many groups of teams have the same result in every case, by phase."""
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
    """What a missing case counts as, metric by metric."""
    if words := assessment.kind.missing_words(assessment):
        return words.removeprefix("counts as ")
    kinds: dict[str, list[str]] = {}
    for metric in assessment.metrics:
        value = metric.policy.get("missing")
        kinds.setdefault("no value" if value is None else f"{value}".replace("_", " "), []).append(metric.title)
    return "; ".join(f"{kind} ({', '.join(names)})" for kind, names in kinds.items())


def counts_missing_cases(assessment: Assessment) -> bool:
    """Whether a ranking tells on how many cases a team has no prediction: by its rows of cases, or by its answers."""
    return assessment.kind.evidence_tells_missing or any(metric.level == "case" for metric in assessment.metrics)


def excluded(assessment: Assessment) -> bool:
    """Whether a missing case is left out by some metric."""
    return any(metric.policy.get("missing") == "exclude" for metric in assessment.metrics)


def versions(phase: PhaseFacts) -> str:
    """The software that a ranking was made with."""
    assert phase.ranking is not None  # asked of ranked phases only
    return ", ".join(
        f"{name} {version}"
        for name, version in sorted(phase.ranking.versions.items())
        if name in ("podium", "numpy", "scipy")
    )
