"""Exclusions of `make check` that run only in `make test`: existing files, with enough tests left to run."""

from tests.run import ROOT, SLOW_UNITS, quick


def test_the_files_that_are_left_out_are_there_once_each_in_order():
    assert [path for path in SLOW_UNITS if not (ROOT / path).is_file()] == []
    assert sorted(set(SLOW_UNITS)) == SLOW_UNITS


def test_the_quick_check_runs_all_unit_tests_but_these():
    (units,) = [leg for leg in quick().legs if "unit" in leg.name]
    assert units.command[-1] == "tests/unit"
    assert [part for part in units.command if part.startswith("--ignore")] == [
        f"--ignore={path}" for path in SLOW_UNITS
    ]
    assert len(SLOW_UNITS) < len(list((ROOT / "tests" / "unit").rglob("test_*.py"))) / 3
