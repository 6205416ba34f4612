"""The areas of `evaluation` that are mutated, and the tests that have to notice."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_UNIT: Final = "tests/unit/evaluation"

# Tests of an area run in this order and stop at the first failure, so the quick and sharp ones come first.
TESTS: Final[dict[str, tuple[str, ...]]] = {
    "metrics": (
        "evaluation/metrics",
        f"{_UNIT}/metrics",
        f"{_UNIT}/pitfalls",
        f"{_UNIT}/classification",
        f"{_UNIT}/kinds/test_other_ways.py",
        f"{_UNIT}/kinds/test_vectors.py",
        f"{_UNIT}/catalogue/test_catalogue.py",
    ),
    "matching": ("evaluation/matching", f"{_UNIT}/matching", f"{_UNIT}/catalogue/test_catalogue.py"),
    "ranking": (
        "evaluation/ranking",
        f"{_UNIT}/test_ranking_by_counting.py",
        *(
            f"{_UNIT}/schemes/test_{name}.py"
            for name in ("forms", "many_challenges", "simulated_boards", "simulated_scores")
        ),
        *(f"{_UNIT}/test_{name}.py" for name in ("gaming", "own_effects", "case_groups", "combination")),
        *(f"{_UNIT}/test_{name}.py" for name in ("combination_by_counting", "exclusions")),
        *(f"{_UNIT}/test_{name}.py" for name in ("unranked_metrics", "interaction_weights")),
        f"{_UNIT}/uncertainty",
    ),
    "aggregation": ("evaluation/aggregation", f"{_UNIT}/aggregation"),
    "readers": ("evaluation/readers", f"{_UNIT}/readers"),
}


def modules_of(area: str) -> list[str]:
    """Paths of the area's modules, relative to the root of the project, in alphabetical order."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "evaluation" / area).rglob("*.py"))


def tests_of(area: str) -> list[str]:
    """Return the existing tests listed for the area and all test files named after it."""
    named = [path for path in TESTS[area] if (ROOT / path).exists()]
    beside = sorted(str(path.relative_to(ROOT)) for path in (ROOT / _UNIT).glob(f"test_{area}*.py"))
    return [*named, *(path for path in beside if path not in named), f"{_UNIT}/test_values_are_frozen.py"]
