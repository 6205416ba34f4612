"""The assessment of one task, compiled from its parameters.

Nothing is guessed: what the parameters leave open is a problem that names the parameter. Only for a design that was
imported from prose can the open points of the *ranking* be filled with the toolkit's defaults, each written down as an
assumption, so that its scheme can be tried out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.assessment import AssessmentError, check_ignored_options, parse
from evaluation.assessment.checks import check_executable
from evaluation.assessment.levels import undeclared_level
from evaluation.assessment.model import Assessment
from evaluation.designs.compilation.notes import Compiled, Problem
from evaluation.designs.compilation.outside import is_measured_outside, outside_kind
from evaluation.designs.compilation.parts import (
    compile_aggregation,
    compile_columns,
    compile_exclusions,
    compile_interaction_weights,
    compile_regions,
    compile_uncertainty,
)
from evaluation.designs.compilation.problems import compile_kind, compile_settings
from evaluation.designs.compilation.rankings import Scope, compile_rankings
from evaluation.designs.compilation.scored import compile_scorer
from evaluation.designs.compilation.uses import compile_metrics, uses_of
from evaluation.designs.compilation.words import pseudo_code
from evaluation.designs.document import Values
from evaluation.problems.table import PROBLEM as TABLE

SCHEMA = 1


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
    assumptions: tuple[str, ...] = ()

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

    @property
    def pseudo_code(self) -> list[str]:
        """Lines of pseudo-code of the compiled assessment; empty as long as there are problems."""
        return [] if self.assessment is None else pseudo_code(self.assessment)


def compile_values(values: Values, *, assume: bool = False) -> Compilation:
    """Compile the values that one task sees.

    Parameters
    ----------
    assume
        Fill open points of the ranking with the toolkit's defaults and report them; for designs imported from prose.
    """
    steps = compile_parts(values, assume=assume)
    parts = {"schema": SCHEMA} | {key: step.value for key, step in steps.items() if step.value}
    problems = tuple(dict.fromkeys(problem for step in steps.values() for problem in step.problems))
    assumptions = tuple(dict.fromkeys(assumption for step in steps.values() for assumption in step.assumptions))
    parsed: Compiled[Assessment | None] = Compiled(None, problems) if problems else _parsed(parts)
    return Compilation(parsed.value, parts, parsed.problems, assumptions)


def compile_parts(values: Values, *, assume: bool) -> dict[str, Compiled[Any]]:
    """Return the parts of the assessment by their keys, in the order in which they are compiled.

    Each part is compiled from the values of the task and from the parts above it. Problems are reported in this order.
    """
    is_outside = is_measured_outside(values)
    problem = Compiled(outside_kind()) if is_outside else compile_kind(values)
    settings = Compiled({}) if is_outside else compile_settings(values, problem.value)
    regions = compile_regions(values, problem.value)
    uses = uses_of(values, problem.value)
    metrics = compile_metrics(values, uses, problem.value)
    region_names = tuple(region["name"] for region in regions.value)
    scope = Scope(values, uses.executed, region_names, assume, uses.names_elsewhere)
    return {
        "problem": problem,
        "settings": settings,
        "regions": regions,
        "metrics": metrics,
        "scorer": compile_scorer(values, metrics.value),
        "aggregation": compile_aggregation(values),
        "ranking": compile_rankings(scope, are_some_reported=bool(uses.reported)),
        "uncertainty": compile_uncertainty(values, uses.executed),
        "columns": compile_columns(values),
        "exclusions": compile_exclusions(values),
        "interaction_weights": compile_interaction_weights(values),
    }


def _parsed(parts: Mapping[str, Any]) -> Compiled[Assessment | None]:
    """Return the assessment that the parts make, or the reason why they make none."""
    try:
        assessment = parse(parts)
        check_ignored_options(assessment)
        check_executable(assessment)
    except AssessmentError as error:
        return Compiled(None, (Problem(_source(str(error)), str(error)),))
    if question := undeclared_level(assessment.aggregation):
        return Compiled(None, (Problem("aggregation_levels", question),))
    return Compiled(assessment)


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
