"""An attacker's day counts what leaked, was lost and was found from what its commands print."""

import pytest

from tests import attack
from tests.attack import PARTS, Finished, Outcome
from tests.containers import hostile

SOAK = """submissions         20
killed              7 × worker, 3 × beat, 2 × full disk
digests compared    {equal} equal to those of a quiet computation
problems            {problems}
"""
INTERRUPTED = "('folder', '_killed', 3, 40)\n('encrypted', '_full', 7, 41)\n"
DEADLINE = "uploads                        300\nproblems                       0\n"
CHANGES = "53 changes by SQL, 53 reported before and after a save\n4 passed in 9 s"


@pytest.mark.parametrize(
    ("part", "printed", "outcome"),
    [
        ("matrix", [(0, "71 passed in 9 s")], Outcome(71, leaks=0)),
        ("matrix", [(1, "2 failed, 69 passed in 9 s")], Outcome(71, leaks=2)),
        ("matrix", [(2, "no tests ran")], Outcome(1, leaks=1)),
        ("images", [(0, "36 of 36 contained"), (0, "4 passed")], Outcome(40, leaks=0)),
        ("images", [(1, "35 of 36 contained"), (0, "4 passed")], Outcome(40, leaks=1)),
        ("images", [(1, "This machine lacks podman"), (0, "4 passed")], Outcome(5, leaks=1)),
        ("kills", [(0, SOAK.format(equal=20, problems=0))], Outcome(12, lost=0)),
        ("kills", [(1, SOAK.format(equal=18, problems=2))], Outcome(12, lost=2)),
        ("manipulations", [(0, CHANGES)], Outcome(53, found=53)),
        ("manipulations", [(1, CHANGES)], Outcome(53, found=0)),
        ("uploads", [(0, DEADLINE)], Outcome(300, lost=0)),
        ("uploads", [(1, DEADLINE + "  4 uploads are not validated while figures compute")], Outcome(300, lost=4)),
        ("uploads", [(1, DEADLINE + "  records: accounts.user 1: the row was added")], Outcome(300, lost=1)),
        ("backups", [(0, INTERRUPTED)], Outcome(2, lost=0)),
        ("backups", [(1, "AssertionError")], Outcome(1, lost=1)),
    ],
)
def test_outcomes_of_a_part(part, printed, outcome):
    outcome_of, _ = PARTS[part]
    assert outcome_of([Finished(*given) for given in printed]) == outcome
    assert outcome.is_good == all(status == 0 for status, _ in printed)


def test_the_hostile_images_are_forty():
    assert len(hostile.ALL) + len(attack.ARCHIVES) == 40


def test_every_test_that_is_named_exists():
    for file in attack.MATRIX:
        assert (attack.ROOT / file).is_file(), file
    text = (attack.ROOT / "tests" / "unit" / "containers" / "test_images.py").read_text()
    for name in attack.ARCHIVES:
        assert f"def {name}(" in text, name


def test_the_table_has_a_line_per_part():
    results = {"kills": {"attempts": 12, "leaks": None, "lost": 0, "found": None, "seconds": 1234}}
    assert attack.table(results).splitlines()[2:] == ["| kills | 12 | – | 0 | – | 1,234 |"]
