"""Few modules know a metric by name: those that declare metrics, advice about them, and this list, which may only shrink."""

import ast
from pathlib import Path

from evaluation.catalogue import all_metrics
from tests.sources import nodes

ROOT = Path(__file__).parents[3]
SOURCES = ("evaluation", "platform", "confinement", "client")
HOME = (
    "evaluation/metrics/",
    "evaluation/matching/criteria.py",
    "evaluation/matching/criterion_tables.py",
    "evaluation/problems/",
    "evaluation/ranking/schemes/",
    "evaluation/advice/",
)
ALLOWED = {
    "evaluation/designs/checks/custom/assessment.py": "checks of a design are advice about named metrics",
    "evaluation/designs/compilation/metrics.py": "what designs of older forms call the metrics",
    "evaluation/federation/certainty.py": "`sensitivity` is a key of the ranking document",
    "evaluation/figures/contrasts.py": "the parts of panoptic quality, drawn against one another",
    "evaluation/importing/choices.py": "what columns of other people's tables are called",
    "evaluation/matching/assignment.py": "the criterion that is the default",
    "evaluation/ranking/uncertainty/statements.py": "`sensitivity` is a key of the ranking document",
    "evaluation/claims/certainty.py": "`sensitivity` is a key of the ranking document",
    "evaluation/reporting/analyses.py": "publications of the exact bound of a metric",
    "evaluation/ranking/reading.py": "`sensitivity` is a key of the ranking document",
    "evaluation/scoring/classification_evidence.py": "one class of a class-wise error; the costs of a weighted kappa",
    "evaluation/scoring/detection_evidence.py": "the mean over classes, and the parts of panoptic quality",
    "evaluation/scoring/disentangled_document.py": "the unit of a part",
    "evaluation/scoring/objects.py": "counts of one image, and the mean over classes",
    "evaluation/assessment/checks.py": "criteria of masks, which have the names of metrics",
    "evaluation/aggregation/spread.py": "a criterion of points, which has the name of a metric",
    "evaluation/boards/stored.py": "`sensitivity` is a key of the ranking document",
    "evaluation/importing/questions.py": "ranges of columns in tables of other programs, by their names",
    "platform/web/help_search.py": "synonyms that readers search the help for",
    "platform/registry/domain/historic.py": "what was published about challenges",
    "platform/registry/services/statistics.py": "how many designs use the most common one",
    "platform/submissions/results/domain/object_parts.py": "the parts of a submission with objects, under their headings",
    "platform/web/style_guide.py": "examples of a table",
}


def modules_with_names():
    ids = {metric.id for metric in all_metrics()}
    for path in sorted(path for source in SOURCES for path in (ROOT / source).rglob("*.py")):
        name = str(path.relative_to(ROOT))
        if name.startswith(HOME) or "/migrations/" in name:
            continue
        if any(
            isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in ids
            for node in nodes(path.read_text(encoding="utf-8"))
        ):
            yield name


def test_no_other_module_names_a_metric():
    more = set(modules_with_names()) - set(ALLOWED)
    assert not more, "ask evaluation.catalogue what is declared, in place of naming metrics"


def test_the_list_holds_nothing_that_could_go():
    assert set(ALLOWED) - set(modules_with_names()) == set()
