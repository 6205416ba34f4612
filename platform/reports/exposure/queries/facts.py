"""Facts of a report, read once: design, phases, submissions, rankings and the log.

All of them enter the digest.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Q
from django.urls import reverse
from rules import test_rule

from challenges.models import PSEUDONYM, Challenge, Member, Phase
from challenges.queries import phases_of
from challenges.queries.deviations import deviations
from challenges.queries.timetable import timetable_of
from core.audit.models import Entry
from datastore.test_sets.domain import merging
from datastore.test_sets.models import Annotation, TestSet
from datastore.test_sets.queries.overlap_questions import answers_of
from designs.models import DesignVersion
from evaluation import canonical
from evaluation.bundle.outside import MEASURED_OUTSIDE
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, from_json, public_form
from evaluation.importing.fitting import sources_of
from leaderboards.queries.current import current_standing, standings_of
from leaderboards.queries.names import is_open, is_pseudonym, names_of_teams, shown
from leaderboards.queries.rankings import every_version, freeze_of, key_of
from leaderboards.queries.suspects import numbers_of
from reports.exposure.queries import answered_checks
from reports.exposure.queries.audience import Audience, Level, level_for
from reports.exposure.queries.closeness import affinity, reference_access
from reports.exposure.queries.method_descriptions import described
from submissions.models import Submission

FACTS_SCHEMA: Final = 2
UNNAMED: Final = f"{PSEUDONYM} team "
ACTS: Final = ("challenge_created", "phase_created", "phase_closed", "test_set_sealed", "ranking_final")
"""Entries of the log that a report names; they are made by organizers or the system and hold no person's data."""


@dataclass(frozen=True)
class DesignFacts:
    """The design that the challenge was run from, in its public form."""

    kind: str
    label: str
    number: str
    digest: str
    since: str
    address: str
    data: dict[str, Any]
    warnings: list[dict[str, str]] = field(default_factory=list)

    @cached_property
    def document(self) -> Document:
        """The design as a document; embargoed values are absent."""
        return from_json(self.data, catalogue=shipped(), lenient=True)[0]

    @property
    def is_registered(self) -> bool:
        """True if the design is in the registry."""
        return self.kind == "registration"


@dataclass(frozen=True)
class RankingFacts:
    """Current ranking of a phase."""

    pk: int
    number: int
    digest: str
    since: str
    cause: str
    assessment_digest: str
    inputs_digest: str
    seed: int
    bootstrap: int
    """Number of bootstrap resamples; 0 if no value has a reported uncertainty."""
    cases: int
    versions: dict[str, str]
    document_name: str
    teams: list[dict[str, Any]]
    standings: int
    assessments_used: list[str]
    address: str
    outside: list[dict[str, Any]] = field(default_factory=list)
    """Sealed versions of tables that its values are from, where they were measured outside: origin, digest and teams."""
    sent: tuple[str, ...] = ()
    """Metrics measured elsewhere with submitted replicates or standard errors, which replace resamples."""
    drawn_here: bool = True
    """True if the platform resamples units for a metric."""


@dataclass(frozen=True)
class PhaseFacts:
    """A phase; what `level` does not allow is empty."""

    pk: int
    key: str
    task: str
    task_name: str
    design_key: str
    name: str
    level: Level
    opens_at: str
    closes_at: str
    ends_at: str
    state: str
    counts: str
    results: str
    leaderboard: str
    incomplete_allowed: bool
    per_day: int | None
    in_total: int | None
    assessment: dict[str, Any]
    assessment_digest: str
    assessment_address: str
    test_sets: list[dict[str, Any]]
    submitting_teams: int
    first_submission: str
    states: dict[str, int]
    late: int
    made_by: dict[str, int]
    ranking: RankingFacts | None
    methods: list[dict[str, Any]]
    deviations: list[dict[str, Any]]
    assessment_since: str = ""
    bundle_is_public: bool = False
    runs_algorithms: bool = False
    suspects: dict[str, Any] = field(default_factory=dict)
    """Numbers of suspect references and of blinded readings; empty without a search, and below `Level.ALL`."""
    overlap_questions: int | None = None
    """Questions about overlap that a team may ask; `None` if the rules do not permit any."""
    overlap_answers: list[dict[str, int]] = field(default_factory=list)
    """Images and answer of each question about overlap, without the teams; empty below `Level.ALL`."""


@dataclass(frozen=True)
class Facts:
    """All facts that a report states or uses to read files."""

    audience: Audience
    slug: str
    title: str
    summary: str
    attribution: str
    is_public: bool
    created: str
    organizers: list[dict[str, str]]
    design: DesignFacts | None
    phases: list[PhaseFacts]
    teams: int
    people: int
    organizer_affinity: dict[str, int]
    reference_access: dict[str, int]
    log: list[dict[str, Any]]
    texts: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def document(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {"schema": FACTS_SCHEMA, **asdict(self)}

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "Facts":
        """Return the facts from their JSON values.

        A report is made from the facts known when it was requested.
        """
        values = {key: document[key] for key in cls.__dataclass_fields__}
        values["audience"] = Audience(values["audience"])
        values["design"] = DesignFacts(**values["design"]) if values["design"] else None
        values["phases"] = [_read_phase(phase) for phase in values["phases"]]
        return cls(**values)

    @property
    def digest(self) -> str:
        """SHA-256 of the facts."""
        return canonical.sha256(self.document)

    def entries(self, act: str, phase: int | None = None) -> list[dict[str, Any]]:
        """Entries of the log of one act, of a phase where one is given."""
        return [
            entry for entry in self.log if entry["act"] == act and (phase is None or entry["phase"] in (None, phase))
        ]

    def main_phases(self) -> list[PhaseFacts]:
        """The last ranked phase of every task: the one that decides."""
        last = {phase.task: phase for phase in self.phases if phase.ranking is not None}
        return list(last.values())

    def named(self, phase: PhaseFacts) -> str:
        """A phase with its task where there are several."""
        return f"{phase.task_name}, {phase.name}" if len(self.tasks()) > 1 else phase.name

    def tasks(self) -> list[str]:
        """Names of the tasks in order."""
        return list(dict.fromkeys(phase.task_name for phase in self.phases))


def _read_phase(values: Mapping[str, Any]) -> PhaseFacts:
    ranking = RankingFacts(**values["ranking"]) if values["ranking"] else None
    return PhaseFacts(**{**values, "level": Level(values["level"]), "ranking": ranking})


def collect(
    challenge: Challenge,
    *,
    audience: Audience,
    chosen: DesignVersion | None = None,
    texts: Mapping[str, Mapping[str, Any]] | None = None,
    with_methods: bool = True,
) -> Facts:
    """Read the present facts, with a constant number of queries for every phase.

    Parameters
    ----------
    chosen
        The design version that organizers named, which counts if the challenge runs no registered design.
    texts
        Texts by the authors, by item.
    with_methods
        Whether to read the descriptions of the teams' methods; only a report includes them.
    """
    phases = phases_of(challenge)
    entries = _log(challenge, phases)
    return Facts(
        audience=audience,
        slug=challenge.slug,
        title=challenge.title,
        summary=challenge.summary,
        attribution=challenge.attribution,
        is_public=challenge.is_public,
        created=challenge.created_at.isoformat(),
        organizers=[
            {"name": person.display_name, "affiliation": person.affiliation}
            for person in challenge.organizers.order_by("last_name", "username")
        ],
        design=_design_of(challenge, chosen),
        phases=[_phase(phase, phases, audience, with_methods=with_methods) for phase in phases],
        teams=challenge.teams.count(),
        people=Member.objects.filter(challenge=challenge).count(),
        organizer_affinity=affinity(challenge),
        reference_access=reference_access(challenge),
        log=entries,
        texts={key: dict(value) for key, value in (texts or {}).items()},
    )


def _design_of(challenge: Challenge, chosen: DesignVersion | None) -> DesignFacts | None:
    """The registered version that the challenge runs, else the design version that its organizers named."""
    projection = getattr(challenge, "projection", None)
    if projection is not None:
        version = projection.version
        return DesignFacts(
            kind="registration",
            label=f"Registration {version.registration.identifier}, version {version.number}",
            number=version.number,
            digest=version.digest,
            since=version.registered_at.isoformat(),
            address=version.get_absolute_url(),
            data=version.document,
            warnings=answered_checks.of_registration(version),
        )
    if chosen is None:
        return None
    return DesignFacts(
        kind="design",
        label=f"Design “{chosen.design.title}”, version {chosen.number}",
        number=str(chosen.number),
        digest=chosen.digest,
        since=chosen.created_at.isoformat(),
        address=chosen.get_absolute_url() if chosen.design.is_public else "",
        data=public_form(chosen.document, catalogue=shipped()),
        warnings=answered_checks.of_version(chosen),
    )


def _phase(phase: Phase, phases: list[Phase], audience: Audience, *, with_methods: bool) -> PhaseFacts:
    level = level_for(phase, audience)
    rows = _submissions(phase)
    good = [row for row in rows if row["state"] not in Submission.UNSUCCESSFUL]
    submission_counts: dict[int, int] = defaultdict(int)
    states: dict[str, int] = defaultdict(int)
    for row in rows:
        states[row["state"]] += 1
    for row in good:
        submission_counts[row["team"]] += 1
    is_visible = level is not Level.NOTHING
    timetable = timetable_of(phase)
    ranking = ranking_facts(phase, phases, level) if is_visible else None
    return PhaseFacts(
        pk=phase.pk,
        key=key_of(phase, phases),
        task=phase.task.slug,
        task_name=phase.task.name,
        design_key=getattr(phase.task, "design_key", ""),
        name=phase.name,
        level=level,
        opens_at=timetable.opens.isoformat() if timetable.opens is not None else "",
        closes_at=phase.closes_at.isoformat(),
        ends_at=phase.ends_at.isoformat(),
        state=(Phase.State.UPCOMING if phase.state == Phase.State.HELD else phase.state).value,
        counts=phase.counts,
        results=phase.results,
        leaderboard=phase.leaderboard,
        incomplete_allowed=phase.incomplete_allowed,
        per_day=phase.submissions_per_day,
        in_total=phase.submissions_in_total,
        assessment=phase.assessment_document,
        assessment_digest=phase.assessment_digest,
        assessment_address=reverse("challenges:assessment", args=[phase.challenge.slug, phase.pk]),
        test_sets=_test_sets(phase, level),
        submitting_teams=len(submission_counts),
        first_submission=min(row["created_at"] for row in good).isoformat() if good else "",
        states=dict(sorted(states.items())) if is_visible else {},
        late=sum(row["is_late"] for row in rows) if is_visible else 0,
        made_by=_made_by(phase, submission_counts) if is_visible else {},
        ranking=ranking,
        methods=described(ranking.teams, audience) if ranking is not None and with_methods else [],
        deviations=[
            entry.facts for entry in deviations(phase, executed=ranking.assessment_digest if ranking else None)
        ],
        assessment_since=_assessment_since(phase),
        bundle_is_public=test_rule("leaderboards.view_bundle", AnonymousUser(), phase),
        runs_algorithms=bool(phase.algorithms),
        suspects=numbers_of([phase]).get(phase.pk, {}) if level is Level.ALL else {},
        overlap_questions=phase.overlap_questions_per_team,
        overlap_answers=answers_of(phase) if level is Level.ALL else [],
    )


def _made_by(phase: Phase, counts: Mapping[int, int]) -> dict[str, int]:
    """Number of submissions by team; of teams that are not named under numbers in the order of the counts.

    A count under a pseudonym would help to link phases.
    """
    names = names_of_teams(phase)
    named = {names[team]: number for team, number in counts.items() if not is_pseudonym(names.get(team, UNNAMED))}
    unnamed = sorted(number for team, number in counts.items() if is_pseudonym(names.get(team, UNNAMED)))
    return dict(sorted(named.items())) | {f"{UNNAMED}{index}": number for index, number in enumerate(unnamed, start=1)}


def _assessment_since(phase: Phase) -> str:
    """Since when a version of the registration holds the assessment of the phase; empty where none does."""
    row = phase.assessments.filter(digest=phase.assessment_digest).order_by("since").first()
    return row.since.isoformat() if row is not None else ""


def _submissions(phase: Phase) -> list[dict[str, Any]]:
    rows = Submission.objects.filter(phase=phase).order_by("created_at")
    return [{**row} for row in rows.values("state", "is_late", "team", "created_at")]


def _test_sets(phase: Phase, level: Level) -> list[dict[str, Any]]:
    """Return the sealed versions.

    Only organizers see the number of unscored cases until the phase is over.
    About annotators, only the information in the ranking is included.
    """
    people: dict[int, set[str]] = defaultdict(set)
    if level is not Level.NOTHING:
        rows = Annotation.objects.filter(case__test_set__phase=phase).order_by()
        for version, annotator in rows.values_list("case__test_set__version", "annotator").distinct():
            people[version].add(annotator)
    merge_words = merging.words(phase.assessment_document.get("problem", ""))
    return [
        {
            "version": entry.version,
            "sealed_at": _iso(entry.sealed_at),
            "manifest_digest": entry.manifest_digest,
            "is_active": entry.is_active,
            "cases": entry.cases_total,
            "decoys": entry.decoys_total if level is Level.ALL else 0,
            "annotators": len(people[entry.version]),
            "merging": merge_words.get(entry.merge_rule, "") if people[entry.version] else "",
        }
        for entry in TestSet.objects.filter(phase=phase, undone_at=None)
        .exclude(sealed_at=None)
        .annotate(cases_total=Count("cases"), decoys_total=Count("cases", filter=Q(cases__is_decoy=True)))
        .order_by("version")
    ]


def ranking_facts(phase: Phase, phases: list[Phase], level: Level) -> RankingFacts | None:
    """Return the current ranking; for those who see an open phase from outside the one before its freeze."""
    freeze = freeze_of(phase)
    until = freeze.moment if level is not Level.ALL and freeze is not None and freeze.holds else None
    last = current_standing(phase, until=until)
    if last is None:
        return None
    digests = list(standings_of(phase, until=until).values_list("version__assessment_digest", flat=True))
    last.version.phase = phase
    if not is_open(last.version):
        return None
    version = shown(last.version)
    key, sources = key_of(phase, phases), sources_of(phase.assessment)
    return RankingFacts(
        pk=version.pk,
        number=version.number,
        digest=version.digest,
        since=last.since.isoformat(),
        cause=last.cause,
        assessment_digest=version.assessment_digest,
        inputs_digest=version.inputs_digest,
        seed=version.seed,
        bootstrap=version.bootstrap if sources.drawn or sources.sent else 0,
        cases=version.cases,
        versions=version.versions,
        document_name=version.document_name,
        teams=[{key: team[key] for key in ("name", "result", "submission")} for team in version.inputs["teams"]],
        standings=len(digests),
        assessments_used=sorted(set(digests)),
        address=reverse("leaderboards:version", args=[phase.challenge.slug, key, version.number]),
        outside=version.inputs.get(MEASURED_OUTSIDE, []),
        sent=sources.sent,
        drawn_here=bool(sources.drawn),
    )


def _log(challenge: Challenge, phases: list[Phase]) -> list[dict[str, Any]]:
    phase_by_subject = {("challenges.phase", str(phase.pk)): phase.pk for phase in phases}
    for rows in (TestSet.objects.filter(phase__in=phases), every_version(phases)):
        kind = rows.model._meta.label_lower  # noqa: SLF001 (Django's name for it)
        phase_by_subject |= {(kind, str(key)): phase for key, phase in rows.values_list("pk", "phase")}
    entries = Entry.objects.filter(scope=challenge.slug, act__in=ACTS).order_by("sequence")
    return [
        {
            "sequence": entry.sequence,
            "act": entry.act,
            "time": entry.time.isoformat(),
            "digest": entry.digest,
            "phase": phase_by_subject.get((entry.subject_type, entry.subject_id)),
            "facts": entry.facts,
        }
        for entry in entries
    ]


def _iso(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""
