"""The ranking schemes by id, the built-in ones first, then those of installed packages; and ranking by the one that is registered."""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final

from evaluation.ranking.schemes.aggregate_then_rank import AggregateThenRank
from evaluation.ranking.schemes.base import Ranked, Samples, Scheme, Values
from evaluation.ranking.schemes.one_score import OneScore
from evaluation.ranking.schemes.rank_then_aggregate import RankThenAggregate
from evaluation.ranking.schemes.test_then_rank import TestThenRank

if TYPE_CHECKING:
    from evaluation.assessment import Aggregation, RankingScheme
    from evaluation.ranking.hierarchy import Hierarchy
    from evaluation.ranking.schemes.base import BoolArray, FloatArray

ENTRY_POINT_GROUP: Final = "podium.schemes"
BUILT_IN: Final[tuple[Scheme, ...]] = (AggregateThenRank(), RankThenAggregate(), TestThenRank(), OneScore())
DEFAULT: Final = BUILT_IN[0].id


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
    if get_scheme(scheme_id) in BUILT_IN:
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
def _registry() -> dict[str, Scheme]:
    schemes = {scheme.id: scheme for scheme in BUILT_IN}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        loaded = point.load()
        for scheme in loaded if isinstance(loaded, (list, tuple)) else [loaded]:
            _added(schemes, scheme, f"entry point {point.name} ({point.value})")
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
