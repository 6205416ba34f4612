"""Ranking schemes: their interface, their registry by id, and ranking by the registered scheme.

There is one object per scheme, which contains all differences between schemes. The built-in schemes come first,
followed by those of installed packages.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from evaluation.assessment.model import Aggregation
from evaluation.ranking.hierarchy import aggregate_levels
from evaluation.ranking.procedure.groups import groups_of
from evaluation.ranking.procedure.lines import statement_lines
from evaluation.ranking.procedure.statements import Described, Statement
from evaluation.ranking.scores import aggregate, rank

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.advice.simulation.model import PartModel
    from evaluation.assessment.model import Operator, RankingScheme
    from evaluation.assessment.reading import Place
    from evaluation.ranking.drawn import Samples
    from evaluation.ranking.hierarchy import Hierarchy
    from evaluation.ranking.schemes.challenges import Challenges


FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

ENTRY_POINT_GROUP: Final = "podium.schemes"
_ORDER: Final = ("aggregate_then_rank", "rank_then_aggregate", "test_then_rank", "one_score")
"""Modules of this package in the order in which their schemes are listed; others follow by name."""
DEFAULT: Final = _ORDER[0]


@dataclass(frozen=True)
class Ranked:
    """Scores and ranks in every sample, samples × algorithms; a score may be not a number, a rank never is."""

    scores: FloatArray
    ranks: FloatArray
    higher_is_better: bool


@dataclass(frozen=True)
class Values:
    """The values of one metric in one region, as a scheme takes them.

    Attributes
    ----------
    values, last_rank
        Cases × algorithms, see `evaluation.aggregation.Table`.
    higher_is_better
        Direction of the values.
    aggregation, hierarchy
        Levels between case and score, and the groups that they make; `hierarchy` is ``None`` for the case level alone.
    """

    values: FloatArray
    last_rank: BoolArray
    higher_is_better: bool
    aggregation: Aggregation
    hierarchy: Hierarchy | None

    def aggregated(self, samples: Samples, operator: Operator) -> FloatArray:
        """Aggregate over cases, and over levels where there are any, in every sample: samples × algorithms."""
        higher = self.higher_is_better
        if self.hierarchy is None:
            return aggregate(self.values, samples.counts, operator, higher_is_better=higher)
        inner = self.aggregation.operator
        return aggregate_levels(self.values, samples, self.hierarchy, inner, operator, higher_is_better=higher)


class Scheme(ABC):
    """Rule that converts values of cases into scores, and scores into ranks.

    There is one object per scheme, without state. The settings that an assessment registers (operator, level, further
    options) are a `evaluation.assessment.model.RankingScheme`, which every method takes as `registered`. A package adds
    schemes under the entry point group ``podium.schemes``.

    Attributes
    ----------
    id
        Its name in assessment documents.
    title
        Its name in a list of schemes.
    design_kind
        The value that represents it in the design form, ``None`` if the form does not offer it.
    takes_operator
        Whether an operator (mean, median, percentile) may be registered. Rank sets read the number of units that they
        need from the operator, so a scheme with a fixed median needs it as well.
    aggregates_values
        Whether a score is an aggregate of the values themselves, in their unit.
    ranks_cases
        Whether algorithms are ranked on every case: scores are then aggregates of ranks, the lowest is best, and a
        missing value may count as the last rank of its case.
    compares_pairs
        Whether every algorithm is compared with every other one. The cost grows with the square of their number.
    one_value
        Whether the score is one value for all cases together.
    simulated
        Whether `simulated_scores` and `limit_scores` are implemented, which is required to simulate a design.
    option_names
        Keys of an assessment's ranking that belong to this scheme, in addition to those of all schemes.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    design_kind: ClassVar[str | None] = None
    takes_operator: ClassVar[bool] = False
    aggregates_values: ClassVar[bool] = False
    ranks_cases: ClassVar[bool] = False
    compares_pairs: ClassVar[bool] = False
    one_value: ClassVar[bool] = False
    simulated: ClassVar[bool] = False
    option_names: ClassVar[tuple[str, ...]] = ()

    # What an assessment registers

    def read_options(self, section: Place) -> Mapping[str, Any]:  # noqa: ARG002
        """Read and check the options of this scheme, and add the defaults.

        The options ``alpha`` and ``adjust`` become attributes of the registered scheme. Further options are stored in
        its `options`.

        Raises
        ------
        AssessmentError
            For a value that is not allowed; contains the path, the value and what is allowed.
        """
        return {}

    def option_document(self, registered: RankingScheme) -> dict[str, Any]:
        """Return the options as entries of an assessment document; reading them returns the same options."""
        return {name: registered.options[name] for name in self.option_names}

    # How it ranks

    @abstractmethod
    def scores(self, table: Values, samples: Samples, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """Scores in every sample at once, samples × algorithms, and whether the greatest is the best."""

    def rank_scores(self, scores: FloatArray, registered: RankingScheme, *, higher_is_better: bool) -> Ranked:
        """Rank scores, compared after rounding; an algorithm without a score gets the registered missing rank."""
        ranks = rank(
            scores,
            higher_is_better=higher_is_better,
            ties=registered.ties,
            missing_rank=registered.missing_rank,
            rounded=True,
        )
        return Ranked(scores, ranks, higher_is_better)

    # What it is called

    @abstractmethod
    def sentence(self, registered: RankingScheme, *, each: str, units: str) -> str:
        """Return a sentence on how a score is computed.

        Parameters
        ----------
        registered
            Settings of the assessment.
        each
            Beginning of the sentence where there are several metrics or regions ("For each metric, "), otherwise empty.
        units
            Name of the counted units, in the plural ("cases", "patients").
        """

    def statements(self, registered: RankingScheme, aggregation: Aggregation) -> tuple[Statement, ...]:
        """Return what is done with the values of one metric of cases, as statements.

        Those of the built-in schemes are executed by the property tests. A scheme that overrides `pseudo_code` alone is
        shown by those lines, behind the levels of the aggregation.
        """
        groups, _ = groups_of(aggregation)
        return (*groups, Described(tuple(line.removeprefix("  ") for line in self.pseudo_code(registered))))

    def pseudo_code(self, registered: RankingScheme) -> list[str]:
        """Return the statements as lines that a person can follow, each indented by two spaces, without any levels."""
        if type(self).statements is Scheme.statements:
            raise NotImplementedError(self.id)
        statements = self.statements(registered, Aggregation())
        return [f"  {line}" for statement in statements for line in statement_lines(statement)]

    @abstractmethod
    def score_name(self, registered: RankingScheme) -> str:
        """Return the name of the score, for the heading of a column."""

    def score_decimals(self, unit: str | None) -> int:
        """Decimals that a table shows of a score whose values have this unit (``None``: a share without unit)."""
        return 3 if unit is None else 2

    # Whether its uncertainty can be had from sign flips (docs/ranking.md)

    def is_linear(self, registered: RankingScheme) -> bool:  # noqa: ARG002
        """Return whether the difference of two scores is a sum of separate contributions of the units."""
        return False

    def averaged_values(self, table: Values, registered: RankingScheme) -> FloatArray:
        """Return the values that a linear scheme averages, cases × algorithms, where larger is better.

        Excluded values are not a number.
        """
        raise NotImplementedError(self.id)

    def contributions(self, differences: FloatArray) -> FloatArray:
        """For a linear scheme, what the units of pairs of algorithms contribute to their comparison.

        Parameters
        ----------
        differences
            Units × pairs: weighted sums over the cases of a unit of the difference of `averaged_values`.
        """
        return differences

    # How it is simulated before there are results

    def simulated_scores(self, challenges: Challenges, registered: RankingScheme) -> tuple[FloatArray, bool]:
        """Scores in many simulated challenges at once, challenges × teams, and whether the greatest is the best."""
        raise NotImplementedError(self.id)

    def limit_scores(
        self,
        model: PartModel,
        quality: FloatArray,
        registered: RankingScheme,
    ) -> tuple[FloatArray, bool]:
        """Scores with infinitely many cases under the model of a simulation, as `simulated_scores`."""
        raise NotImplementedError(self.id)

    # What readers usually compare it with

    def usual_forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Its usual forms, by label, each with what it sets in a `RankingScheme`."""
        return {}


class SchemeError(LookupError):
    """An id that no scheme has or that two schemes claim, or an entry point that is no scheme."""


def all_schemes() -> tuple[Scheme, ...]:
    """Every scheme, the built-in ones first.

    Examples
    --------
    >>> [scheme.id for scheme in all_schemes()][:2]
    ['aggregate_then_rank', 'rank_then_aggregate']
    """
    return tuple(_registry().values())


def get_scheme(scheme_id: str) -> Scheme:
    """Return the scheme of that id.

    Raises
    ------
    SchemeError
        If there is none; the message names those that there are.
    """
    schemes = _registry()
    if scheme_id not in schemes:
        message = f"no ranking scheme has the id {scheme_id!r}; there is {', '.join(schemes)}"
        raise SchemeError(message)
    return schemes[scheme_id]


def register(scheme: Scheme) -> Scheme:
    """Add a scheme for this process; installed packages name theirs under the entry point group ``podium.schemes``.

    Raises
    ------
    SchemeError
        If the id is taken.
    """
    return _added(_registry(), scheme, "register")


def unregister(scheme_id: str) -> None:
    """Take away a scheme that was added with `register`; built-in ones stay."""
    if get_scheme(scheme_id) in _built_in():
        message = f"{scheme_id} is built in"
        raise SchemeError(message)
    del _registry()[scheme_id]


def apply_scheme(
    values: FloatArray,
    last_rank: BoolArray,
    samples: Samples,
    scheme: RankingScheme,
    *,
    higher_is_better: bool,
    aggregation: Aggregation,
    hierarchy: Hierarchy | None,
) -> Ranked:
    """Score and rank the algorithms in every sample by the registered scheme.

    Parameters
    ----------
    values, last_rank, higher_is_better, aggregation, hierarchy
        See `Values`.
    samples
        What was drawn.
    scheme
        What the assessment registers.
    """
    chosen = get_scheme(scheme.scheme)
    table = Values(values, last_rank, higher_is_better, aggregation, hierarchy)
    scores, higher = chosen.scores(table, samples, scheme)
    return chosen.rank_scores(scores, scheme, higher_is_better=higher)


def rank_scores(scores: FloatArray, scheme: RankingScheme, *, higher_is_better: bool) -> Ranked:
    """Rank scores by the rules of a scheme; an algorithm without a score is ranked last, never dropped."""
    return get_scheme(scheme.scheme).rank_scores(scores, scheme, higher_is_better=higher_is_better)


@cache
def _built_in() -> tuple[Scheme, ...]:
    """Return the object `SCHEME` of every module of this package that has one.

    Raises
    ------
    SchemeError
        If a module defines a scheme without that object.
    """
    package = __name__.rpartition(".")[0]
    names = {module.name for module in iter_modules(import_module(package).__path__)}
    schemes = []
    for name in (*_ORDER, *sorted(names - {*_ORDER, "base"})):
        module = import_module(f"{package}.{name}")
        if hasattr(module, "SCHEME"):
            schemes.append(module.SCHEME)
        elif defined := [scheme.__name__ for scheme in Scheme.__subclasses__() if scheme.__module__ == module.__name__]:
            message = f"{module.__name__} defines {', '.join(defined)}; add the line SCHEME = {defined[0]}()"
            raise SchemeError(message)
    return tuple(schemes)


@cache
def _registry() -> dict[str, Scheme]:
    schemes: dict[str, Scheme] = {}
    for scheme in _built_in():
        _added(schemes, scheme, type(scheme).__module__)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for brought in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
            _added(schemes, brought, f"entry point {point.name} ({point.value})")
    return schemes


def _added(schemes: dict[str, Scheme], scheme: object, source: str) -> Scheme:
    if not isinstance(scheme, Scheme):
        message = f"{source}: {scheme!r} is not a ranking scheme (an object of a subclass of Scheme)"
        raise SchemeError(message)
    if scheme.id in schemes:
        message = f"{source}: the id {scheme.id!r} is taken by {schemes[scheme.id].title}"
        raise SchemeError(message)
    schemes[scheme.id] = scheme
    return scheme
