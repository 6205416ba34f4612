"""Units, weights and contributions by hand, and nested resampling compared with a plain program."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.canonical import sha256
from evaluation.ranking.drawn import Drawn
from evaluation.ranking.hierarchy import Hierarchy
from evaluation.ranking.resampling import (
    VERSION,
    Contributions,
    Design,
    Units,
    case_weights,
    contributions,
    gather,
    join,
    multiplicities,
)

NAN = np.nan
PATIENTS = ["p2", "p1", "p2", "p3", "p1", "p2"]
SITES = ["south", "north", "south", "south", "north", "south"]
CASES = tuple("abcdef")


def test_units_and_strata_are_numbered_in_ascending_order():
    units = gather([PATIENTS], [SITES], 6)
    assert units.strata == ("north", "south")
    assert units.unit_of_case.tolist() == [1, 0, 1, 2, 0, 1]
    assert units.stratum_of_unit.tolist() == [0, 1, 1]
    assert (units.number, units.sizes.tolist(), units.smallest, units.several_strata) == (3, [1, 2], 1, True)


def test_a_unit_that_lies_in_two_strata_is_two_units():
    units = gather([["p", "p"]], [["x", "y"], ["1", "2"]], 2)
    assert units.strata == ("x, 1", "y, 2")
    assert (units.number, units.unit_of_case.tolist()) == (2, [0, 1])


def test_without_strata_all_units_are_one_group():
    units = gather([PATIENTS], [], 6)
    assert units.strata == ()
    assert (units.number, units.sizes.tolist(), units.smallest, units.several_strata) == (3, [3], 3, False)


def test_no_cases_are_no_units():
    units = gather([[]], [], 0)
    assert (units.number, units.smallest, units.several_strata) == (0, 0, False)


def test_some_of_the_cases_have_units_and_strata_of_their_own():
    units = gather([PATIENTS], [SITES], 6)
    some = units.within(np.array([True, False, True, True, False, False]))
    assert some.strata == ("south",)
    assert (some.unit_of_case.tolist(), some.stratum_of_unit.tolist()) == ([0, 0, 1], [0, 0])
    assert some.several_strata is False
    assert gather([PATIENTS], [], 6).within(np.array([False, True] * 3)).strata == ()


# Six images of three patients of two sites, from the inside out.
LEVELS = Hierarchy(
    ("patient", "site"),
    {"patient": np.array([1, 0, 1, 2, 0, 1]), "site": np.array([1, 0, 1, 1, 0, 1])},
    {"patient": None, "site": None},
)


def test_without_levels_all_cases_that_have_a_value_weigh_the_same():
    present = np.array([[True, True, False], [True, False, False]])
    assert case_weights(present, None).tolist() == [[0.5, 1, 0], [0.5, 0, 0]]


def test_the_weight_of_a_case_is_one_over_the_members_of_each_of_its_groups():
    # South has two patients, one of them with three images; north has one patient with two.
    expected = [1 / 12, 1 / 4, 1 / 12, 1 / 4, 1 / 4, 1 / 12]
    assert case_weights(np.ones((6, 1), dtype=bool), LEVELS)[:, 0] == pytest.approx(expected)


def test_members_and_groups_without_a_value_do_not_count():
    present = np.ones((6, 3), dtype=bool)
    present[[0, 3], 0] = present[[1, 4], 1] = False
    present[:, 2] = False
    # Without a and d, patient p2 alone is in the south with two images; without b and e there is no north.
    weights = case_weights(present, LEVELS)
    assert weights[:, 0] == pytest.approx([0, 1 / 4, 1 / 4, 0, 1 / 4, 1 / 4])
    assert weights[:, 1] == pytest.approx([1 / 6, 0, 1 / 6, 1 / 2, 0, 1 / 6])
    assert weights[:, 2].tolist() == [0] * 6


UNITS = gather([["u", "u", "v"]], [], 3)


def test_contributions_are_weighted_sums_over_the_cases_of_a_unit():
    parts = contributions(np.array([[3.0, 6.0], [0.0, 3.0], [9.0, 0.0]]), UNITS, None)
    assert parts.plain == pytest.approx(np.array([[1.0, 3.0], [3.0, 0.0]]))
    assert parts.linearised is None
    assert parts.complete.tolist() == [True, True]
    assert parts.unit_weights == pytest.approx([2 / 3, 1 / 3])
    assert parts.case_weights == pytest.approx(np.full((3, 2), 1 / 3))
    assert parts.differences(np.array([0]), np.array([1])) == pytest.approx(np.array([[-2.0], [3.0]]))


def test_single_cases_as_units_contribute_in_the_order_of_the_units():
    units = Units(np.array([2, 0, 1]), np.zeros(3, dtype=np.int64), ())
    parts = contributions(np.array([[3.0], [6.0], [9.0]]), units, None)
    assert parts.plain[:, 0] == pytest.approx([2.0, 3.0, 1.0])
    assert parts.unit_weights == pytest.approx([1 / 3] * 3)


def test_with_gaps_units_contribute_their_deviation_from_the_score_and_an_equal_part_of_it():
    # The second has 6 and 0 and thus a score of 3: deviations 1.5 and -1.5, and half of 3 for either unit.
    parts = contributions(np.array([[3.0, 6.0], [0.0, NAN], [9.0, 0.0]]), UNITS, None)
    assert parts.complete.tolist() == [True, False]
    assert parts.linearised == pytest.approx(np.array([[-5 / 3 + 2, 1.5 + 1.5], [5 / 3 + 2, -1.5 + 1.5]]))
    assert parts.plain == pytest.approx(np.array([[1.0, 3.0], [3.0, 0.0]]))
    assert parts.unit_weights == pytest.approx([2 / 3, 1 / 3])
    assert parts.differences(np.array([0]), np.array([1])) == pytest.approx(np.array([[1 / 3 - 3], [11 / 3]]))


def contributed(plain, linearised=None, complete=(True, True, True)):
    linear = None if linearised is None else np.array(linearised)
    return Contributions(np.array(plain), linear, np.array(complete), np.ones(2), np.ones((2, 3)))


def test_pairs_with_a_gap_are_compared_by_deviations_and_others_by_sums():
    result = contributed([[1.0, 2.0, 4.0]], [[10.0, 30.0, 70.0]], (True, True, False))
    first, second = np.array([0, 0, 2]), np.array([1, 2, 1])
    assert result.differences(first, second).tolist() == [[-1.0, -60.0, 40.0]]


@pytest.mark.parametrize(
    ("plain", "linearised", "largest"),
    [
        ([[0.25, -0.5]], None, 0.5),
        ([[0.25, -0.5]], [[0.125, -0.75]], 0.75),
        ([[4.0]], [[-0.5]], 4.0),
        (np.empty((0, 2)), None, 0.0),
    ],
)
def test_a_difference_is_noise_up_to_a_million_millionth_of_the_largest_contribution(plain, linearised, largest):
    assert contributed(plain, linearised).rounding == 1e-12 * largest


def test_noise_of_rounding_is_no_difference():
    result = contributed([[1.0, 1e-12, 0.0], [0.0, 0.0, 2e-12], [1.0, 0.0, 0.0]])
    differences = result.differences(np.array([1, 2]), np.array([2, 1]))
    assert differences.tolist() == [[0.0, 0.0], [-2e-12, 2e-12], [0.0, 0.0]]


def plain_draw(names, seed, samples, columns, strata=()):
    """Sample level by level, with the number of draws per node equal to its number of children.

    Each child is selected by the upper half of one random integer.
    """
    words = np.random.Philox(key=int(sha256([VERSION, seed, list(names)])[:32], 16))

    def path(case, levels):
        return tuple(names[case] if level == "case" else columns[level][case] for level in levels)

    def children(node, levels):
        return sorted({path(case, levels) for case in range(len(names)) if path(case, levels)[: len(node)] == node})

    drawn = [
        (sample, node, {})
        for sample in range(samples)
        for node in sorted({path(case, strata) for case in range(len(names))})
    ]
    levels = list(strata)
    for level in [level for level in columns if level not in strata]:
        levels.append(level)
        deeper = []
        for sample, node, copies in drawn:
            inside = children(node, levels)
            for _ in inside:
                picked = inside[((int(words.random_raw()) >> 32) * len(inside)) >> 32]
                deeper.append((sample, picked, dict(copies) if level == "case" else {**copies, level: len(deeper)}))
        drawn = deeper
    return [
        (sample, case, copies)
        for sample, node, copies in drawn
        for case in range(len(names))
        if path(case, levels) == node
    ]


@pytest.mark.parametrize(
    ("levels", "strata"),
    [
        (("case",), ()),
        (("patient",), ()),
        (("patient", "case"), ()),
        (("site", "patient"), ()),
        (("site", "patient", "case"), ()),
        (("patient", "case"), ("site",)),
        (("case",), ("site", "patient")),
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", [1, 5])
def test_groups_within_groups_are_drawn_as_a_plain_program_draws_them(levels, strata, seed):
    columns = {"site": SITES, "patient": PATIENTS}
    result = Design(CASES, levels, columns, strata).draw(4, seed)
    chosen = {name: columns.get(name) for name in (*strata, *levels)}
    expected = plain_draw(CASES, seed, 4, chosen, strata)
    assert result.samples.tolist() == [sample for sample, _, _ in expected]
    assert result.cases.tolist() == [case for _, case, _ in expected]
    assert set(result.copies) == set(levels) - {"case"}
    for level, numbers in result.copies.items():
        assert numbers.tolist() == [copies[level] for *_, copies in expected]


def test_a_drawn_group_brings_all_of_its_cases_also_where_all_groups_have_two():
    pairs = ["p1", "p2", "p3", "p1", "p2", "p3"]
    drawn = Design(CASES, ("patient",), {"patient": pairs}).draw(2, 1)
    assert len(drawn.cases) == 12
    assert [pairs[case] for case in drawn.cases[::2]] == [pairs[case] for case in drawn.cases[1::2]]
    assert (drawn.cases[1::2] - drawn.cases[::2] == 3).all()


def test_one_copy_stands_for_one_group_in_one_sample_where_every_case_stands_once():
    design = Design(CASES, ("site", "patient"), {"site": SITES, "patient": PATIENTS})
    whole = design.full()
    assert (whole.cases.tolist(), whole.samples.tolist()) == ([0, 1, 2, 3, 4, 5], [0] * 6)
    one_less = design.leave_one_out()
    # The north (b and e) is left out first, then the south.
    assert one_less.cases.tolist() == [0, 2, 3, 5, 1, 4]
    assert one_less.samples.tolist() == [0, 0, 0, 0, 1, 1]
    for drawn in (whole, one_less):
        for level, groups in (("site", SITES), ("patient", PATIENTS)):
            numbers = drawn.copies[level]
            assert numbers.dtype.kind == "i"
            assert numbers.min() >= 0
            standing = [(sample, groups[case]) for sample, case in zip(drawn.samples, drawn.cases, strict=True)]
            assert len(set(zip(standing, numbers, strict=True))) == len(set(standing)) == len(set(numbers.tolist()))


def test_what_can_be_drawn_outermost_is_counted():
    assert Design(CASES).clusters == 6
    assert Design(CASES, ("patient", "case"), {"patient": PATIENTS}).clusters == 3
    assert Design(()).clusters == 0


def test_of_no_cases_none_are_drawn():
    for drawn in (Design(()).draw(2, 1), Design(()).full(), Design(()).leave_one_out()):
        assert len(drawn.cases) == len(drawn.samples) == 0


def test_how_often_a_case_stands_in_a_sample_is_counted():
    drawn = Drawn(np.array([0, 2, 2, 1, 0]), np.array([0, 0, 0, 1, 1]), {})
    assert multiplicities(drawn, 3, 3).tolist() == [[1, 1, 0], [0, 1, 0], [2, 0, 0]]


def test_samples_put_behind_one_another_keep_their_draws_and_have_copies_of_their_own():
    design = Design(CASES, ("patient",), {"patient": PATIENTS})
    parts = [(design.full(), 1), (design.draw(2, 1), 2), (design.leave_one_out(), 3)]
    joined = join(parts)
    assert joined.cases.tolist() == [case for part, _ in parts for case in part.cases]
    counts = multiplicities(joined, 6, 6)
    start = 0
    for part, number in parts:
        assert counts[:, start : start + number].tolist() == multiplicities(part, 6, number).tolist()
        start += number
    first, second = design.full().copies["patient"], design.draw(2, 1).copies["patient"]
    assert joined.copies["patient"][: len(first) + len(second)].tolist() == [*first, *(second + 3)]
    assert join(parts[:1]).copies["patient"].tolist() == first.tolist()
    position, seen = 0, set()
    for part, _ in parts:
        numbers = joined.copies["patient"][position : position + len(part.cases)]
        position += len(part.cases)
        shift = numbers - part.copies["patient"]
        assert len(set(shift.tolist())) == 1
        assert not seen & set(numbers.tolist())
        seen |= set(numbers.tolist())
