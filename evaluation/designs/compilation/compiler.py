"""The assessment of one task, compiled from its parameters.

Nothing is guessed: what the parameters leave open is a problem that names the parameter. Only for a design that was
imported from prose can the open points of the *ranking* be filled with the toolkit's defaults, each written down as an
assumption, so that its scheme can be tried out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluation import problems as kinds
from evaluation.assessment import Assessment, AssessmentError, check_ignored_options, parse
from evaluation.assessment.columns import NUMBER, YES_NO, column_name
from evaluation.assessment.exclusions import GRADES
from evaluation.assessment.interaction import LEVELS
from evaluation.assessment.levels import undeclared_level
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation.costs import check_costs
from evaluation.designs.compilation.metrics import Meaning, meaning, names_of
from evaluation.designs.compilation.notes import Notes, Problem
from evaluation.designs.compilation.outside import (
    is_measured_outside,
    outside_kind,
    outside_metrics,
    outside_rows,
    ranked_rows,
)
from evaluation.designs.compilation.problems import kinds_of, problem_of, settings_of
from evaluation.designs.compilation.rankings import Scope, compile_rankings, site_column, site_rules
from evaluation.designs.compilation.scored import apart_metric, is_apart, name_of, scorer_part
from evaluation.designs.document import Values
from evaluation.problems.table import PROBLEM as TABLE

SCHEMA = 1
_KIND_OF_VALUES = {"binary": YES_NO, "numeric": NUMBER}
"""Kind of a case column by the value type of its characteristic.

Ordinal grades are not included: they may be written as numbers or as names.
"""


class NotCompilableError(ValueError):
    """Raised if a design cannot be executed yet; `problems` lists missing or unclear parameters."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__(" ".join(str(problem) for problem in problems))


@dataclass(frozen=True)
class Compilation:
    """Result of the compilation of a task.

    Attributes
    ----------
    assessment
        The parsed assessment; ``None`` as long as there are problems.
    parts
        The completed parts of the document, by their keys.
    problems
        Reasons that prevent execution, each with its parameter: missing information, and complete information that is
        executed elsewhere.
    assumptions
        Defaults of the toolkit that replace information missing in the sources.
    """

    assessment: Assessment | None
    parts: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()
    assumptions: tuple[str, ...] = field(default_factory=tuple)

    @property
    def gaps(self) -> tuple[Problem, ...]:
        """Missing or contradictory information that must be fixed before the design is filed."""
        return tuple(problem for problem in self.problems if not problem.elsewhere)

    @property
    def elsewhere(self) -> tuple[Problem, ...]:
        """Content that is registered here and evaluated elsewhere: the platform does not execute it."""
        return tuple(problem for problem in self.problems if problem.elsewhere)

    @property
    def is_measured_outside(self) -> bool:
        """True if the platform ranks externally measured values."""
        return self.parts.get("problem") == outside_kind()

    @property
    def document(self) -> dict[str, Any]:
        """The document, every default written out.

        Raises
        ------
        NotCompilableError
            As long as there are problems.
        """
        if self.assessment is None:
            raise NotCompilableError(self.problems)
        return dict(self.assessment.document)


def compile_values(values: Values, *, assume: bool = False) -> Compilation:
    """Compile the values that one task sees.

    Parameters
    ----------
    assume
        Fill open points of the ranking with the toolkit's defaults and report them; for designs imported from prose.
    """
    notes = Notes()
    problems = notes.problems
    parts: dict[str, Any] = {"schema": SCHEMA}
    is_outside = is_measured_outside(values)
    kind = outside_kind() if is_outside else _problem(values, problems)
    if kind:
        parts["problem"] = kind
    if not is_outside and (settings := settings_of(values, kind, problems)):
        parts["settings"] = settings
    regions = _regions(values, kind, problems)
    if regions:
        parts["regions"] = regions
    meanings: list[tuple[Mapping[str, Any], Meaning]] = [(row, meaning(row)) for row in values.rows("metrics")]
    ranked = [(row, meant) for row, meant in meanings if row.get("used_for_ranking")]
    reported = [
        (row, meant)
        for row, meant in meanings
        if is_reported(row, meant, kind) or (not row.get("used_for_ranking") and is_apart(row, meant, values))
    ]
    names = [
        name_of(row, meant) if is_apart(row, meant, values) else name
        for (row, meant), name in zip([*ranked, *reported], _names([*ranked, *reported]), strict=True)
    ]
    named: list[tuple[Mapping[str, Any], Meaning, str]] = [
        (row, meant, name) for (row, meant), name in zip([*ranked, *reported], names, strict=True)
    ]
    if is_outside:
        named, ranked = outside_rows(values), ranked_rows(values)
        reported = [(row, meant) for row, meant, _ in named[len(ranked) :]]
    scope = Scope(
        values=values,
        metrics=tuple(
            entry
            for entry in named[: len(ranked)]
            if is_outside or entry[1].metric is not None or is_apart(entry[0], entry[1], values)
        ),
        regions=tuple(region["name"] for region in regions),
        assume=assume,
        elsewhere=frozenset(
            word
            for row, meant in ranked
            if meant.metric is None and not is_apart(row, meant, values)
            for word in names_of(row)
        ),
    )
    check_costs(values, problems, is_outside=is_outside)
    if is_outside:
        metrics = outside_metrics(named, values, problems)
    else:
        _check_ranked(scope, ranked, kind, problems)
        metrics = [
            apart_metric(entry, kind, values, problems)
            if is_apart(entry[0], entry[1], values)
            else _metric(scope, *entry, problems)
            for entry in (*scope.metrics, *named[len(ranked) :])
        ]
        if scorer := scorer_part(values, metrics, problems):
            parts["scorer"] = scorer
    if metrics:
        parts["metrics"] = metrics
    parts["aggregation"] = {"levels": _levels(values), "operator": "mean"}
    rankings = compile_rankings(scope, notes)
    if reported:
        # What is computed and reported without a rank stands in the assessment and in none of its rankings.
        everything = [name for _, _, name in scope.metrics]
        rankings = [{**ranking, "metrics": ranking.get("metrics", everything)} for ranking in rankings]
    if rankings:
        parts["ranking"] = rankings if len(rankings) > 1 else rankings[0]
    parts["uncertainty"] = _uncertainty(scope)
    if columns := _columns(values):
        parts["columns"] = columns
    if exclusions := _exclusions(values):
        parts["exclusions"] = exclusions
    if weights := _interaction_weights(values, problems):
        parts["interaction_weights"] = weights
    assumptions = tuple(dict.fromkeys(notes.assumptions))
    if problems:
        return Compilation(None, parts, tuple(dict.fromkeys(problems)), assumptions)
    try:
        assessment = parse(parts)
        check_ignored_options(assessment)
    except AssessmentError as error:
        return Compilation(None, parts, (Problem(_source(str(error)), str(error)),), assumptions)
    if question := undeclared_level(assessment.aggregation):
        return Compilation(None, parts, (Problem("aggregation_levels", question),), assumptions)
    return Compilation(assessment, parts, (), assumptions)


def is_reported(row: Mapping[str, Any], meant: Meaning, kind: str | None) -> bool:
    """Return whether a metric that no ranking uses is computed and reported.

    It must be a metric of the platform for this kind of problem.
    """
    fits = kind is None or (meant.metric is not None and kind in meant.metric.problems)
    return not row.get("used_for_ranking") and meant.metric is not None and not meant.unclear and fits


def table_of(compilation: Compilation) -> Assessment:
    """Return the compiled ranking alone, over a table of values between 0 and 1: a preset to try out.

    Every ranking of the design becomes a ranking of the table. Steps that combine metrics are excluded, since a table
    has one metric.
    """
    rankings = compilation.parts["ranking"]
    schemes = []
    for index, scheme in enumerate(rankings if isinstance(rankings, list) else [rankings]):
        settings = {key: value for key, value in scheme.items() if key not in ("metrics", "regions", "combine")}
        schemes.append({"name": f"ranking {index + 1}", **settings, "combine": None})
    return parse({
        "schema": SCHEMA,
        "problem": TABLE.id,
        "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0.0}}],
        "ranking": schemes,
        "uncertainty": {"bootstrap": 0, "seed": 1},
    })  # fmt: skip


def _problem(values: Values, problems: list[Problem]) -> str | None:
    categories = values.get("task_category") or []
    kind_ids = set(kinds_of(values))
    if not categories:
        problems.append(Problem("task_category", "The task category is missing."))
    elif None in kind_ids:
        labels = [shipped()["task_category"].label_of(category) for category in categories if not problem_of(category)]
        text = f"The platform does not score tasks of this category: {', '.join(labels)}."
        problems.append(Problem("task_category", text, elsewhere=True))
    elif len(kind_ids) > 1:
        text = "The platform scores one kind of problem a task, and these are several; a task of each can be executed."
        problems.append(Problem("task_category", text, elsewhere=True))
    return kind_ids.pop() if len(kind_ids) == 1 else None


def _regions(values: Values, kind: str | None, problems: list[Problem]) -> list[dict[str, Any]]:
    is_numbered = kind is not None and kinds.get(kind).regions.have_numbered_labels
    regions: list[dict[str, Any]] = []
    for row in values.rows("regions"):
        region: dict[str, Any] = {"name": row.get("name", "")}
        labels = [int(label) if label.isdigit() else label for label in row.get("labels", ())]
        if is_numbered and not all(isinstance(label, int) for label in labels):
            problems.append(Problem("regions", f"{region['name']}: label values are whole numbers."))
        if labels and not (kind is not None and kinds.get(kind).is_measured_elsewhere):
            region["labels"] = labels
        elif is_numbered:
            problems.append(Problem("regions", f"{region['name']}: the label values are missing."))
        regions.append(region)
    if kind is not None and kinds.get(kind).regions.are_required and not regions:
        problems.append(Problem("regions", "The scored regions and their label values are missing."))
    return regions


def _names(used: Sequence[tuple[Mapping[str, Any], Meaning]]) -> list[str]:
    """A name for each use of a metric: the one that the design gives it, else its id, numbered where it is used twice."""
    given = [str(row["result_name"]) if row.get("result_name") else "" for row, _ in used]
    ids = [meant.metric.id if meant.metric and not name else "" for (_, meant), name in zip(used, given, strict=True)]
    return [
        name or (identity if ids.count(identity) == 1 else f"{identity}_{ids[: index + 1].count(identity)}")
        for index, (identity, name) in enumerate(zip(ids, given, strict=True))
    ]


def _check_ranked(
    scope: Scope, ranked: Sequence[tuple[Mapping[str, Any], Meaning]], kind: str | None, problems: list[Problem]
) -> None:
    """Note what keeps the metrics of the ranking from being computed."""
    if not ranked and scope.values.get("ranking_type") != "no_ranking":
        problems.append(Problem("metrics", "No metric is marked as used for the ranking."))
    for row, meant in ranked:
        if is_apart(row, meant, scope.values):
            continue
        # A metric that the platform does not have is complete with its definition; what is unclear of others is not.
        outside = meant.metric is None
        problems += [Problem("metrics", f"{text[0].upper()}{text[1:]}.", elsewhere=outside) for text in meant.unclear]
    for _, meant, _ in scope.metrics:
        if kind is not None and meant.metric is not None and kind not in meant.metric.problems:
            text = f"The platform does not compute {meant.label} for {kinds.get(kind).title}."
            problems.append(Problem("metrics", text, elsewhere=True))


def _metric(scope: Scope, row: Mapping[str, Any], meant: Meaning, name: str, problems: list[Problem]) -> dict[str, Any]:
    """Return a metric as it appears in an assessment."""
    metric = meant.metric
    assert metric is not None
    document: dict[str, Any] = {"id": metric.id}
    if name != metric.id:
        document["name"] = name
    if meant.options:
        document["options"] = dict(meant.options)
    policy = _policy(scope, row, meant, problems)
    if policy:
        document["policy"] = policy
    return document


def _policy(scope: Scope, row: Mapping[str, Any], meant: Meaning, problems: list[Problem]) -> dict[str, Any]:
    """Values for what is missing or undefined: written out where the design departs from the platform's defaults."""
    policy = dict(row.get("policy") or {})
    handling = scope.values.get("missing_data_handling")
    metric = meant.metric
    assert metric is not None
    if handling is None:
        problems.append(Problem("missing_data_handling", "What happens to missing results is not stated."))
    elif not isinstance(handling, str) or handling == "as_in_reference":
        text = "The platform does not execute this way to handle missing results."
        problems.append(Problem("missing_data_handling", text, elsewhere=True))
    elif handling == "ignored" and not policy.get("allow_gaming"):
        text = "Missing results are ignored, so that teams can leave out their bad cases."
        problems.append(Problem("missing_data_handling", text))
    elif handling == "worst_rank":
        policy.setdefault("missing", "worst_rank")
    elif handling == "worst_value" and row.get("worst_value") is not None and row["worst_value"] != metric.worst:
        policy.setdefault("missing", row["worst_value"])
    return policy


def _levels(values: Values) -> list[Any]:
    """The levels from the inside out, each with its role where the design gives one."""
    levels: list[Any] = []
    for row in values.rows("aggregation_levels"):
        name = str(row.get("name") or "").strip()
        levels.append({"name": name, "role": row["role"]} if row.get("role") else name)
    if not levels or level_name(levels[0]) != "case":
        levels = ["case", *levels]
    column = site_column(values)
    if "mean_of_sites" in site_rules(values) and column not in map(level_name, levels):
        drawn = column in ((values.get("uncertainty_settings") or {}).get("resample") or ())
        levels.append({"name": column, "role": "random" if drawn else "fixed"})
    return levels


def level_name(level: Any) -> str:
    """The name of a level of an assessment document, which may be an object with its role."""
    return str(level["name"] if isinstance(level, Mapping) else level)


def _uncertainty(scope: Scope) -> dict[str, Any]:
    values = scope.values
    chosen = values.get("uncertainty_handling") or []
    settings = values.get("uncertainty_settings") or {}
    taken_over = ("bootstrap", "seed", "interval", "strata", "winner_alpha", "unseen_failures")
    document = {key: settings[key] for key in taken_over if key in settings}
    column = site_column(values)
    # Sites that are all there are: cases are drawn within each of them.
    fixed_sites = site_rules(values) & {"pooled", "ranked_per_site"}
    if fixed_sites and "strata" not in document and column not in (settings.get("resample") or ()):
        document["strata"] = [column]
    if settings.get("resample"):
        document["resample"] = settings["resample"] if len(settings["resample"]) > 1 else settings["resample"][0]
    if "none" in chosen and "bootstrap" not in document:
        document["bootstrap"] = 0
    margin = {name: row["margin"] for row, _, name in scope.metrics if row.get("margin") is not None}
    if margin:
        document["margin"] = margin
    return document


def _exclusions(values: Values) -> dict[str, Any]:
    """Cases that do not count: one by one, and by their quality grade."""
    document: dict[str, Any] = {}
    if rows := values.rows("excluded_cases"):
        document["cases"] = [{"case": str(row.get("case") or "").strip(), "reason": row.get("reason")} for row in rows]
    if (quality := values.get("case_quality")) and quality.get("column"):
        excluded = [grade for grade in GRADES if quality.get(grade) == "excluded"]
        document["quality"] = {"column": str(quality["column"]).strip(), "excluded": excluded}
    return document


def _columns(values: Values) -> dict[str, Any]:
    """Return the kinds of the case table's columns.

    The declaration of a column takes precedence over the characteristic of the same name.
    """
    of_characteristics = {
        column_name(str(row["name"])): _KIND_OF_VALUES[row["value_type"]]
        for row in values.rows("image_characteristics")
        if row.get("value_type") in _KIND_OF_VALUES and column_name(str(row.get("name") or ""))
    }
    declared_kinds = {str(row.get("column") or "").strip(): row.get("kind") for row in values.rows("case_columns")}
    named = {column_name(column) for column in declared_kinds}
    return {column: kind for column, kind in of_characteristics.items() if column not in named} | declared_kinds


def _interaction_weights(values: Values, problems: list[Problem]) -> dict[str, Any]:
    """Return the weights of methods by level of interaction, if the design uses weights."""
    if values.get("interaction_level_handling") != "weighting":
        return {}
    given = values.get("interaction_level_weights") or {}
    weights = {level: given[level] for level in LEVELS if given.get(level) is not None}
    if not weights:
        text = "The weights of the levels of interaction are missing."
        problems.append(Problem("interaction_level_weights", text))
    return weights


def _source(message: str) -> str:
    """The parameter that an error of the assessment comes from."""
    json_path = message.split(":", 1)[0]
    parameters = {
        "uncertainty.margin": "metrics",
        "metrics": "metrics",
        "settings": "problem_settings",
        "regions": "regions",
        "columns": "case_columns",
        "exclusions.quality": "case_quality",
        "exclusions": "excluded_cases",
        "interaction_weights": "interaction_level_weights",
        "scorer": "scoring_image",
        "ranking": "ranking_method",
        "uncertainty": "uncertainty_settings",
        "aggregation": "aggregation_levels",
        "problem": "task_category",
    }
    return next((parameter for key, parameter in parameters.items() if json_path.startswith(key)), "ranking_method")
