"""Steps of a combination, counted once more with exact fractions: weights, order statistics, parts without a value, several steps."""

import math
from fractions import Fraction

import numpy as np
import pytest

from evaluation.assessment import Operator, Step
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.reading import select

TEAMS, SAMPLES = 4, 3
OPERATORS = [
    Operator("mean"),
    Operator("median"),
    Operator("min"),
    Operator("max"),
    Operator("percentile", 30.0),
    Operator("percentile", 90.0),
]
WEIGHTS = [
    None,
    {"metric": {"a": 2, "b": 1, "c": 4}},
    {"metric": "cases"},
    {"metric": "sqrt_cases"},
    {"metric": {"a": 0.5, "b": 0.5, "c": 0.5}},
    {"metric": {"a": 1, "b": 3, "c": 1}, "region": {"left": 2, "right": 1}},
]


def drawn(seed, *, gaps=False):
    """Parts of three metrics and two regions, with their scores and ranks in some samples."""
    random = np.random.default_rng(seed)
    parts = []
    for metric in "abc":
        for region in ("left", "right"):
            ranks = random.integers(1, TEAMS + 1, (SAMPLES, TEAMS)).astype(float)
            scores = random.integers(0, 5, (SAMPLES, TEAMS)) / 4
            if gaps:
                ranks[1, random.integers(TEAMS)] = np.nan
                ranks[2] = np.nan if metric == "b" else ranks[2]
                scores[np.isnan(ranks)] = np.nan
            # Squares, so that weights by the root of the number of cases are whole, too.
            cases = np.array([4.0, 9.0, 16.0])[random.permutation(SAMPLES)]
            parts.append(Part({"metric": metric, "region": region}, scores, ranks, cases))
    return parts


def fraction(value):
    return None if math.isnan(value) else Fraction(value)


def places(values, ties):
    """Return ranks of values with lower being better; missing values are behind all others."""
    present = sorted(value for value in values if value is not None)
    distinct = sorted(set(present))
    if not present:
        return [None] * len(values)
    ranks = []
    for value in values:
        ahead, same = sum(other < value for other in present) if value is not None else 0, present.count(value)
        if value is None:
            ranks.append(Fraction(len(values)) if ties != "dense" else Fraction(len(distinct) + 1))
        else:
            ranks.append(
                {
                    "min": Fraction(ahead + 1),
                    "max": Fraction(ahead + same),
                    "average": Fraction(2 * ahead + same + 1, 2),
                    "dense": Fraction(distinct.index(value) + 1),
                }[ties]
            )
    return ranks


def aggregate(values, weights, operator):
    """Combine the weighted values of some parts into one number, without the parts that have no value."""
    pairs = sorted(
        (value, weight) for value, weight in zip(values, weights, strict=True) if value is not None and weight > 0
    )
    if not pairs:
        return None
    total = sum(weight for _, weight in pairs)
    if operator.kind == "mean":
        return sum(value * weight for value, weight in pairs) / total
    share = {"min": Fraction(0), "median": Fraction(1, 2), "max": Fraction(1)}.get(operator.kind)
    if share is None:
        # Counted from the worse end; of scores and ranks that are combined, more is worse.
        share = 1 - Fraction(operator.percentile) / 100
    if len({weight for _, weight in pairs}) == 1:
        position = share * (len(pairs) - 1)
        low, high = pairs[math.floor(position)][0], pairs[math.ceil(position)][0]
        return low + (high - low) * (position - math.floor(position))
    reached = Fraction(0)
    for value, weight in pairs:
        reached += weight
        if reached >= share * total:
            return value
    raise AssertionError


def weight_of(part, step, sample):
    weight = Fraction(1)
    for dimension, given in (step.weights or {}).items():
        if given == "cases":
            weight *= Fraction(part.cases[sample])
        elif given == "sqrt_cases":
            weight *= Fraction(math.isqrt(int(part.cases[sample])))
        else:
            weight *= Fraction(given[part.key[dimension]])
    return weight


def counted(parts, step):
    """Scores and ranks in every sample: of the parts over which the step combines, for each key that is left."""
    groups = {}
    for part in parts:
        left = tuple((name, value) for name, value in part.key.items() if name not in step.over)
        groups.setdefault(left, []).append(part)
    rows_by_key = {}
    for key, members in groups.items():
        rows = []
        for sample in range(SAMPLES):
            weights = [weight_of(part, step, sample) for part in members]
            layers = []
            for part in members:
                numbers = [fraction(value) for value in (part.ranks if step.rerank else part.scores)[sample]]
                layers.append(places(numbers, "average") if step.rerank and step.fractional else numbers)
            scores = [aggregate([layer[team] for layer in layers], weights, step.operator) for team in range(TEAMS)]
            rows.append((scores, places(scores, step.ties)))
        rows_by_key[key] = rows
    return rows_by_key


def same(part, rows):
    for sample, (scores, ranks) in enumerate(rows):
        for team in range(TEAMS):
            for computed, expected in (
                (part.scores[sample, team], scores[team]),
                (part.ranks[sample, team], ranks[team]),
            ):
                assert (math.isnan(computed) and expected is None) or computed == pytest.approx(
                    float(expected), abs=1e-9
                )


@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: f"{operator.kind}-{operator.percentile}")
@pytest.mark.parametrize("rerank", [True, False])
def test_one_step_over_metrics(operator, weights, rerank):
    for seed, ties in enumerate(("min", "max", "average", "dense")):
        parts = drawn(seed)
        step = Step(("metric",), operator, rerank, ties, False, weights)
        combined = combine(parts, [step])
        expected = counted(parts, step)
        assert [dict(part.key) for part in combined] == [dict(key) for key in expected]
        for part, key in zip(combined, expected, strict=True):
            same(part, expected[key])
            members = [member for member in parts if member.key["region"] == part.key["region"]]
            assert part.cases.tolist() == [sum(member.cases[sample] for member in members) for sample in range(SAMPLES)]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: f"{operator.kind}-{operator.percentile}")
@pytest.mark.parametrize("weights", WEIGHTS[:3], ids=str)
def test_what_has_no_value_in_a_sample_is_left_out_there(operator, weights):
    for seed in range(4):
        parts = drawn(seed, gaps=True)
        step = Step(("metric", "region"), operator, True, "min", False, weights)
        (whole,) = combine(parts, [step])
        same(whole, counted(parts, step)[()])


def test_where_no_part_has_a_value_nobody_has_a_rank():
    nothing = np.full((1, 2), np.nan)
    parts = [Part({"metric": name}, nothing, nothing, np.ones(1)) for name in "ab"]
    (whole,) = combine(parts, [Step(("metric",), Operator("mean"), True, "min", False)])
    assert np.isnan(whole.ranks).all()
    assert np.isnan(whole.scores).all()


def test_fractional_ranks_count_ties_half():
    for seed in range(4):
        parts = drawn(seed)
        step = Step(("metric", "region"), Operator("mean"), True, "min", True)
        (whole,) = combine(parts, [step])
        same(whole, counted(parts, step)[()])


def test_the_second_step_combines_what_the_first_one_made():
    parts = drawn(5)
    first = Step(("metric",), Operator("mean"), True, "average", False, {"metric": {"a": 1, "b": 2, "c": 3}})
    for rerank in (True, False):
        second = Step(("region",), Operator("max"), rerank, "max", False)
        between = [
            Part(
                dict(key),
                np.array([[float(score) for score in scores] for scores, _ in rows]),
                np.array([[float(rank) for rank in ranks] for _, ranks in rows]),
                np.ones(SAMPLES),
            )
            for key, rows in counted(parts, first).items()
        ]
        (whole,) = combine(parts, [first, second])
        (alone,) = combine(between, [second])
        np.testing.assert_allclose(whole.scores, alone.scores)
        assert whole.ranks.tolist() == alone.ranks.tolist()


def test_samples_that_one_part_has_more_are_left_out():
    long = Part({"metric": "a"}, np.array([[0.0, 1.0]] * 3), np.array([[1.0, 2.0]] * 3), np.array([1.0, 2.0, 3.0]))
    short = Part({"metric": "b"}, np.array([[1.0, 0.0]] * 2), np.array([[2.0, 1.0]] * 2), np.array([5.0, 6.0]))
    (whole,) = combine([long, short], [Step(("metric",), Operator("mean"), True, "min", False)])
    assert whole.ranks.tolist() == [[1.0, 1.0]] * 2
    assert whole.cases.tolist() == [6.0, 8.0]


def test_a_part_that_the_weights_do_not_name_is_refused():
    parts = drawn(1)
    step = Step(("metric",), Operator("mean"), True, "min", False, {"metric": {"a": 1, "b": 1}})
    with pytest.raises(ValueError, match="the weights of metric name a, b, but not c"):
        combine(parts, [step])


def entry(**key):
    return {"metric": None, "region": None, "task": None, "name": None, **key}


SINGLE = [entry(metric="dsc", region="left"), entry(metric="dsc", region="right"), entry(metric="nsd", region="right")]
WHOLE = [entry(name="first"), entry(name="second")]


@pytest.mark.parametrize(
    ("overall", "asked", "expected"),
    [
        (WHOLE, {}, WHOLE[0]),
        (WHOLE[0], {}, WHOLE[0]),
        (None, {}, SINGLE[0]),
        (WHOLE, {"name": "second"}, WHOLE[1]),
        (WHOLE, {"metric": "nsd"}, SINGLE[2]),
        (WHOLE, {"region": "right"}, SINGLE[1]),
        (WHOLE, {"metric": "dsc", "region": "right"}, SINGLE[1]),
        (None, {"region": "right"}, SINGLE[1]),
        (None, {"metric": "nsd"}, SINGLE[2]),
    ],
)
def test_the_ranking_that_is_asked_for(overall, asked, expected):
    assert select({"rankings": SINGLE, "overall": overall}, **asked) is expected


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"metric": "nsd", "region": "left"}, "metric 'nsd', region 'left'"),
        ({"region": "middle"}, "region 'middle'"),
        ({"name": "third"}, "name 'third'"),
    ],
)
def test_a_ranking_that_there_is_not(asked, words):
    with pytest.raises(LookupError, match=f"the document has no ranking for {words}"):
        select({"rankings": SINGLE, "overall": WHOLE}, **asked)


def test_a_document_without_any_ranking():
    with pytest.raises(LookupError, match="the document has no ranking for overall ranking"):
        select({"rankings": [], "overall": None})
