"""The mutation test samples as documented, and its list of equivalent mutants refers to existing lines."""

import tomllib

import pytest

from tests.mutants import areas
from tests.mutants.__main__ import _EQUIVALENT, is_equivalent
from tests.mutants.areas import ROOT, TESTS, modules_of
from tests.mutants.mutations import Mutant, sample, source_of

DOCUMENT = tomllib.loads(_EQUIVALENT.read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", DOCUMENT["mutant"], ids=lambda entry: f"{entry['module']}: {entry['after']}")
def test_a_mutant_that_is_called_equivalent_has_a_reason_and_its_line(entry):
    lines = [line.strip() for line in (ROOT / entry["module"]).read_text(encoding="utf-8").splitlines()]
    assert entry["before"] in lines
    assert entry["reason"]


def test_every_area_has_modules_and_tests():
    for area in TESTS:
        assert modules_of(area)
        assert any("tests/unit" in path for path in areas.tests_of(area))


def test_a_sample_depends_on_its_seed_alone_and_changes_one_thing_each():
    first, again, other = sample("aggregation", 8, 1), sample("aggregation", 8, 1), sample("aggregation", 8, 2)
    assert first == again
    assert first != other
    assert {mutant.kind for mutant in first} == {"comparison", "sign", "constant", "logic"}
    for mutant in first:
        code = (ROOT / mutant.module).read_text(encoding="utf-8")
        pairs = zip(code.splitlines(), source_of(mutant, code).splitlines(), strict=True)
        assert sum(before != after for before, after in pairs) == 1


def test_a_pattern_holds_for_its_own_change_only():
    strict = Mutant("x", "x.py", "constant", "", 0, 1, "zip(a, b, strict=True)", "zip(a, b, strict=False)")
    assert is_equivalent(strict)
    assert not is_equivalent(
        Mutant("x", "x.py", "constant", "", 0, 1, "zip(a, 1, strict=True)", "zip(a, 2, strict=True)")
    )
