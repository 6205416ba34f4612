"""Plan of a challenge from a registered design: tasks, phases, quotas, visibility, assessment.

The functions are pure: they turn the document of a version into a plan, without the database. Nothing is guessed if
a choice would change the winner. A missing value is a problem that names the parameter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final

from django.utils.text import slugify

from challenges.domain.problems import NotLaunchableError, Problem
from challenges.domain.scheduling import STAYS_OPEN, release, spans
from challenges.models import Phase
from challenges.queries.composed_rules import composed_rules, rules_of_phase, rules_text
from challenges.queries.phase_rules import rules_of_phases
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_overall, compile_values
from evaluation.designs.document import Document, State, Values
from evaluation.designs.document.words import entry_words
from evaluation.running.registered import Registered, RegisteredError
from evaluation.wording import joined

ASSESSMENT_PARAMETERS: Final = (
    "metrics",
    "ranking_type",
    "ranking_method",
    "tie_handling",
    "missing_data_handling",
)
"""Parameters that must be public before submissions open (MAN-3)."""
DATA: Final = (
    *("challenge_cohort", "imaging_modality", "case_definition", "number_training_cases"),
    *("number_validation_cases", "number_test_cases", "test_case_characteristics"),
)


@dataclass(frozen=True)
class PhasePlan:
    """The fields of a phase that follow from the design."""

    slug: str
    name: str
    position: int
    opens_at: datetime
    closes_at: datetime
    submissions_per_day: int | None
    submissions_in_total: int | None
    counts: str
    results: str
    leaderboard: str
    reveals_cases: bool
    incomplete_allowed: bool
    reveals_at: datetime | None
    feedback: str
    is_dry_run: bool
    requires_method: bool
    publishes_methods: bool
    requires_code: bool
    stays_open: bool
    announcement: str
    announced_ranks: int | None
    interaction: str
    interaction_levels: list[str]
    method_facts: list[str] = field(default_factory=list)
    method_link: str = Phase.MethodLink.NONE
    methods_per_team: int = 1
    least_share: float | None = None
    overlap_questions_per_team: int | None = None
    entrants_from: str = ""
    entrants_best: int | None = None
    entrants_rule: str = Phase.Entrants.RANK
    algorithms: dict[str, Any] = field(default_factory=dict)

    @property
    def fields(self) -> dict[str, Any]:
        """Names and values of the model's fields."""
        return asdict(self)


@dataclass(frozen=True)
class TaskPlan:
    """A task with its phases and the assessment that all of them run."""

    key: str
    name: str
    description: str
    position: int
    assessment: Mapping[str, Any]
    phases: tuple[PhasePlan, ...]

    @property
    def fields(self) -> dict[str, Any]:
        """Names and values of the model's fields."""
        return {"name": self.name, "description": self.description, "position": self.position}


@dataclass(frozen=True)
class Plan:
    """A whole challenge as its design describes it."""

    title: str
    summary: str
    description: str
    data_description: str
    rules_text: str
    contact: str
    attribution: str
    agreement: str = ""
    overall_rankings: list[dict[str, Any]] = field(default_factory=list)
    tasks: tuple[TaskPlan, ...] = field(default_factory=tuple)

    @property
    def fields(self) -> dict[str, Any]:
        """Names and values of the model's fields."""
        return {name: getattr(self, name) for name in PROJECTED_FIELDS["challenge"]}


PROJECTED_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "challenge": (
        *("title", "summary", "description", "data_description", "rules_text", "contact", "attribution"),
        *("agreement", "overall_rankings"),
    ),
    "task": ("name", "description", "position"),
    "phase": tuple(PhasePlan.__dataclass_fields__),
}
"""Fields that are written from the registered version alone, never by hand."""


def plan(document: Document) -> Plan:
    """Derive a challenge from a design.

    Parameters
    ----------
    document
        With embargoed values in their places; texts for people never show them.

    Raises
    ------
    NotLaunchableError
        Names every parameter that is missing or cannot be executed here.
    """
    problems: list[Problem] = []
    public_design = document.without_secrets()
    names = [values.name.casefold() for values in document.each_task()]
    tasks = [
        _task(values, public_design.values(values.task_key), index, names, problems)
        for index, values in enumerate(document.each_task(), start=1)
    ]
    if not tasks:
        problems.append(Problem("task_name", "the design has no task"))
    overall, open_points = compile_overall(document)
    if overall and any(phase.methods_per_team > 1 for task in tasks if task for phase in task.phases):
        text = "methods of one team are not combined over tasks; state one method per team, or no ranking over tasks"
        problems.append(Problem("max_methods_per_team", text))
    problems += [Problem(problem.parameter, problem.message) for problem in open_points]
    common = public_design.values()
    title = _words(common, "challenge_name")
    if not title:
        problems.append(Problem("challenge_name", "a challenge needs a name"))
    if problems:
        raise NotLaunchableError(tuple(dict.fromkeys(problems)))
    contact = common.get("contact_person") or {}
    return Plan(
        title=title[:200],
        summary=_shortened(_words(common, "primary_objective"), 300),
        description=_paragraphs(common, ("challenge_abstract", "biomedical_motivation", "technical_motivation")),
        data_description=_data_description([public_design.values(key) for key in document.tasks]),
        rules_text=_rules_text(common, [task for task in tasks if task is not None]),
        contact=", ".join(str(contact[key]) for key in ("name", "affiliation") if contact.get(key))[:200],
        attribution=_list(common, ("data_license", "data_usage_agreement", "references_and_comments")),
        agreement=_words(common, "data_usage_agreement"),
        overall_rankings=[entry.document for entry in overall],
        tasks=tuple(task for task in tasks if task is not None),
    )


def phases_of_document(document: Document, problems: list[Problem]) -> dict[str, tuple[PhasePlan, ...]]:
    """Return the phases of each task (by key) of a design; what cannot be read is added to `problems`."""
    names = [values.name.casefold() for values in document.each_task()]
    return {values.task_key or "": _phases(values, names, problems) for values in document.each_task()}


def unpublished(document: Document) -> tuple[Problem, ...]:
    """Problems for the launch gate (MAN-3): parameters of the assessment that the public cannot read.

    Parameters
    ----------
    document
        The public document, in which embargoed values are absent.
    """
    problems = []
    for values in document.each_task():
        for parameter in ASSESSMENT_PARAMETERS:
            entry = values.entry(parameter)
            if entry.state is State.PROVIDED and entry.value not in (None, "", []):
                continue
            state_words = "missing" if entry.state is State.BLANK else entry_words(shipped()[parameter], entry)
            problems.append(Problem(parameter, state_words, values.name))
    return tuple(problems)


def _task(
    values: Values, public_values: Values, position: int, names: list[str], problems: list[Problem]
) -> TaskPlan | None:
    before = len(problems)
    compilation = compile_values(values)
    problems += [Problem(problem.parameter, problem.message, values.name) for problem in compilation.problems]
    phases = _phases(values, names, problems)
    if len(problems) > before:
        return None
    return TaskPlan(
        key=values.task_key or "",
        name=(public_values.name or f"Task {position}")[:200],
        description=_words(public_values, "task_description"),
        position=position,
        assessment=compilation.document,
        phases=phases,
    )


# --- Phases --------------------------------------------------------------------------------------------------------
def _phases(values: Values, names: list[str], problems: list[Problem]) -> tuple[PhasePlan, ...]:
    phase_spans = list(spans(values, names, problems))
    rules = rules_of_phases(values, problems)
    algorithms = _algorithms(values, problems)
    if not phase_spans:
        if not any(problem.parameter == "challenge_schedule" for problem in problems):
            problems.append(Problem("challenge_schedule", "no submission period is stated", values.name))
        return ()
    if rules is None:
        return ()
    # The phase with the last deadline is the test phase; of several the one that the schedule names last.
    closing = [numbered for numbered in enumerate(phase_spans) if numbered[1][2] < STAYS_OPEN]
    last = max(closing, key=lambda numbered: (numbered[1][2], numbered[0]))[1][0] if closing else None
    settings = {str(row.get("phase", "")).casefold(): row for row in values.rows("phase_settings")}
    phases: list[PhasePlan] = []
    for position, (name, opens_at, closes_at) in enumerate(phase_spans, start=1):
        stays_open = closes_at >= STAYS_OPEN
        base = rules["open" if stays_open else "test" if name == last else "early"]
        row = settings.get(name.casefold(), {})
        stated = {key: row[key] for key in _SETTINGS if row.get(key) is not None}
        if stated.get("is_dry_run"):
            stated = {"results": Phase.Results.CASES, "leaderboard": Phase.Leaderboard.PUBLIC} | stated
        stated |= _method_requirement(row)
        entrants, contradictions = _entrants(row, opens_at, phases)
        stated |= entrants
        problems += [Problem("phase_settings", f"“{name}”: {text}", values.name) for text in contradictions]
        fields = {**base, **stated}
        released = release(values, name)
        if fields["results"] == Phase.Results.REVEALED or (
            # What is sealed until the end stays so until the results are released.
            name == last
            and fields["leaderboard"] == Phase.Leaderboard.SEALED
            and released is not None
            and released > closes_at
        ):
            fields["reveals_at"] = released
        problems += [
            Problem("phase_settings", f"“{name}”: {text}", values.name)
            for text in _contradictions(fields, is_test=name == last)
        ]
        phases.append(
            PhasePlan(
                slug=(slugify(name).removesuffix("-phase") or slugify(name) or f"phase-{position}")[:80],
                name=name[:200],
                position=position,
                opens_at=opens_at,
                closes_at=closes_at,
                algorithms=algorithms,
                **fields,
            )
        )
    unknown = [row for key, row in settings.items() if key not in {phase.name.casefold() for phase in phases}]
    problems += [
        Problem("phase_settings", f"the schedule has no phase “{row.get('phase', '')}”", values.name) for row in unknown
    ]
    if len({phase.slug for phase in phases}) < len(phases):
        problems.append(Problem("challenge_schedule", "two phases have names that look alike", values.name))
    return tuple(phases)


_SETTINGS: Final = (
    *("submissions_per_day", "submissions_in_total", "results", "leaderboard", "reveals_cases"),
    *("feedback", "is_dry_run", "requires_method", "publishes_methods", "least_share"),
    "overlap_questions_per_team",
)


def _entrants(
    row: Mapping[str, Any], opens_at: datetime, earlier: Sequence[PhasePlan]
) -> tuple[dict[str, Any], list[str]]:
    """Return the rule for teams of an earlier phase, and what contradicts it."""
    name, best = str(row.get("entrants_from") or "").strip(), row.get("entrants_best")
    if not name:
        alone = best is not None or row.get("entrants_rule")
        return {}, ["name the earlier phase whose best teams go on"] if alone else []
    source = next((phase for phase in earlier if phase.name.casefold() == name.casefold()), None)
    if source is None:
        return {}, [f"“{name}” is not an earlier phase of the schedule, so no team of it can go on"]
    if source.closes_at > opens_at:
        return {}, [f"it opens before {source.name} closes, so the teams that go on are not known"]
    if source.is_dry_run:
        return {}, [f"{source.name} is a dry run, which has no final ranking"]
    rule = row.get("entrants_rule") or Phase.Entrants.RANK
    return {"entrants_from": source.slug, "entrants_best": best, "entrants_rule": rule}, []


def _method_requirement(row: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that a method description must state, by their identifiers, and the link that can replace them.

    Naming either makes the description a condition of the final ranking, unless the design states otherwise.
    """
    name_by_label = {label.casefold(): name for name, label in described_facts().items()}
    facts = [name_by_label.get(str(fact).strip().casefold(), str(fact)) for fact in row.get("method_facts") or ()]
    link = row.get("method_link")
    stated: dict[str, Any] = {}
    if facts:
        stated["method_facts"] = list(dict.fromkeys(facts))
    if isinstance(link, str):
        stated["method_link"] = link
    if stated and row.get("requires_method") is None:
        stated["requires_method"] = True
    return stated


def described_facts() -> dict[str, str]:
    """Identifiers and labels of the answers of a method description."""
    return {parameter.id: parameter.label for parameter in shipped().algorithm_parameters.values()}


def _algorithms(values: Values, problems: list[Problem]) -> dict[str, Any]:
    """Return how algorithms are run, if teams submit them; empty if they submit predictions."""
    stated = values.get("algorithm_execution")
    if not stated:
        return {}
    if "docker_container" not in (values.get("submission_method") or ()):
        problems.append(Problem("submission_method", "algorithms are run here: state containers", values.name))
    try:
        return Registered.of(stated).document()
    except RegisteredError as error:
        problems.append(Problem("algorithm_execution", str(error), values.name))
        return {}


def _contradictions(fields: Mapping[str, Any], *, is_test: bool) -> Iterator[str]:
    """Yield contradictions between settings of one phase; the database refuses most of them, too."""
    if fields["feedback"] != Phase.Feedback.EXACT and (
        fields["results"] != Phase.Results.AGGREGATE or fields["leaderboard"] != Phase.Leaderboard.SEALED
    ):
        yield (
            "scores are rounded or held back only where teams see their own aggregate alone and the ranking is sealed; "
            "single cases and a public ranking would tell the exact scores"
        )
    if fields.get("least_share") is not None and not 0 < fields["least_share"] <= 1:
        yield "the least share of cases is a number above 0 and at most 1"
    if unknown := [f"“{fact}”" for fact in fields.get("method_facts", ()) if fact not in described_facts()]:
        yield f"a method description has no answer called {joined(unknown)}; name answers as its form lists them"
    if (fields.get("method_facts") or fields.get("method_link")) and not fields["requires_method"]:
        yield "facts of the method description are named, but the final ranking needs no description"
    if fields["results"] == Phase.Results.REVEALED:
        if fields["reveals_at"] is None:
            yield "results are released later, but the schedule has no date for the release of results"
        if fields["leaderboard"] != Phase.Leaderboard.SEALED:
            yield "a ranking cannot be public while results wait for their release"
    if fields["stays_open"] and fields["leaderboard"] == Phase.Leaderboard.SEALED:
        yield "a phase that stays open never shows a ranking that is sealed until it closes"
    if fields["is_dry_run"]:
        if is_test:
            yield "the test phase cannot be a dry run: its references are public"
        if fields["results"] == Phase.Results.REVEALED or fields["feedback"] != Phase.Feedback.EXACT:
            yield "a dry run hides nothing, since its references are public"


# --- Texts ---------------------------------------------------------------------------------------------------------
def _words(values: Values, parameter: str) -> str:
    return entry_words(shipped()[parameter], values.entry(parameter))


def _paragraphs(values: Values, parameters: tuple[str, ...]) -> str:
    return "\n\n".join(text for parameter in parameters if (text := _words(values, parameter)))


def _list(values: Values, parameters: tuple[str, ...]) -> str:
    """Write parameters as a list in Markdown, each under its label."""
    lines = [
        f"- **{shipped()[parameter].label}.** {text}"
        for parameter in parameters
        if (text := " ".join(_words(values, parameter).split()))
    ]
    return "\n".join(lines)


def _data_description(views: Sequence[Values]) -> str:
    """Describe the data of all tasks; a value that differs between tasks is listed once for each, with its name."""
    lines = []
    for parameter in DATA:
        texts = [(view.name, " ".join(_words(view, parameter).split())) for view in views]
        label = shipped()[parameter].label
        if len({text for _, text in texts}) == 1:
            texts = [("", texts[0][1])]
        lines += [f"- **{f'{label} ({name})' if name else label}.** {text}" for name, text in texts if text]
    return "\n".join(lines)


def _rules_text(common: Values, tasks: Sequence[TaskPlan]) -> str:
    """Compose the rules that participants accept from the facts of the table of rules."""
    labelled = [
        (
            phase,
            f"{task.name}: {phase.name}" if len(tasks) > 1 else phase.name,
            {each.slug: each.name for each in task.phases},
        )
        for task in tasks
        for phase in task.phases
    ]
    return rules_text(composed_rules([rules_of_phase(*each) for each in labelled], common))


def _shortened(text: str, limit: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"
