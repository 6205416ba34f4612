"""A module that is added to `evaluation` is discovered without an entry in a list."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.problems import all_problems, registry

ROOT = Path(__file__).parents[3]
METRIC = '''
from evaluation.metrics.declaration import PIXELS, declare
from evaluation.outcomes import ok


@declare("Added", "ADD", categories=PIXELS, direction="lower", range=(0, 1), family="overlap", needs="masks")
def {name}(reference, prediction):
    """Constant."""
    return ok(0.5)
'''
SCHEME = """
from evaluation.ranking.schemes.base import Scheme


class Added(Scheme):
    id = "added"
    title = "Added"

    def scores(self, table, samples, registered):
        raise NotImplementedError

    def sentence(self, registered, *, each, units):
        return ""

    def score_name(self, registered):
        return "score"
"""


@pytest.fixture
def run(tmp_path):
    """Function that runs statements in a process in which a package has one more module."""

    def running(package: str, module: str, statements: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "added.py").write_text(module, encoding="utf-8")
        extend = f"import {package} as package\npackage.__path__.append({str(tmp_path)!r})\n"
        return subprocess.run(
            [sys.executable, "-c", extend + statements],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    return running


def test_a_new_module_of_metrics_is_listed(run):
    code = "from evaluation.catalogue import get\nprint(get('added_metric').compute(0, 0).value)"
    ran = run("evaluation.metrics", METRIC.format(name="added_metric"), code)
    assert ran.stdout == "0.5\n", ran.stderr


def test_a_second_metric_with_an_id_is_refused_with_both_modules(run):
    ran = run("evaluation.metrics", METRIC.format(name="dsc"), "from evaluation.catalogue import get\nget('dsc')")
    assert "evaluation.metrics.overlap and evaluation.metrics.added declare the same metric 'dsc'" in ran.stderr


def test_a_new_module_of_schemes_is_listed_last(run):
    code = "from evaluation.ranking.schemes import all_schemes\nprint([scheme.id for scheme in all_schemes()][-1])"
    ran = run("evaluation.ranking.schemes", SCHEME + "\n\nSCHEME = Added()\n", code)
    assert ran.stdout == "added\n", ran.stderr


def test_a_scheme_without_its_object_is_refused(run):
    ran = run(
        "evaluation.ranking.schemes", SCHEME, "from evaluation.ranking.schemes import get_scheme\nget_scheme('x')"
    )
    assert "evaluation.ranking.schemes.added defines Added; add the line SCHEME = Added()" in ran.stderr


def defines_a_problem(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assignments = [node for node in tree.body if isinstance(node, ast.Assign)]
    names = [target.id for node in assignments for target in node.targets if isinstance(target, ast.Name)]
    return "PROBLEM" in names


def test_every_module_with_a_kind_of_problem_is_in_the_list_of_the_registry():
    folder = ROOT / "evaluation" / "problems"
    missing = {path.stem for path in folder.glob("*.py") if defines_a_problem(path)} - set(registry._BUILT_IN)
    assert not missing, f"evaluation/problems/registry.py: add {', '.join(sorted(missing))} to _BUILT_IN"
    assert {problem.id for problem in all_problems()} >= set(registry._BUILT_IN)
