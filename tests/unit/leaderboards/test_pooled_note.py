"""Reason for missing views on a board of whole-data-set values: the note names exactly the affected views."""

from types import SimpleNamespace

from evaluation.analyses.catalogue import TABS
from evaluation.assessment import parse
from leaderboards.templatetags.pooled import pooled_note

CLASSIFIED = {"problem": "image_classification", "metrics": [{"id": "auroc"}]}
COST = {"id": "run_wall_time", "by": "run", "worst": 20}


def note(document, *names):
    views = [tab for tab in TABS if tab.name in names]
    return pooled_note(SimpleNamespace(assessment=parse(document)), views)


def test_views_of_single_cases_alone_are_said_to_lack():
    sentence = note(CLASSIFIED, "stability", "pairs")
    assert "AUROC has one value for all cases together" in sentence
    assert (
        "nothing to show under “Raw data”, “Other schemes”, “Cases”, “Subgroups”, “Gaming check” and “Strengths”."
        in sentence
    )
    # Nothing of these rests on values of single cases: they lack since nothing was measured, asked or ranked.
    assert all(f"“{label}”" not in sentence for label in ("Quality and cost", "Answers", "Metrics", "Consensus"))
    assert sentence.endswith("What there is: “Stability” and “Who beats whom”.")


def test_where_all_views_are_there_nothing_lacks():
    assert "nothing to show" not in note(CLASSIFIED, *(tab.name for tab in TABS))


def test_beside_a_cost_views_of_cases_show_that_one():
    sentence = note({**CLASSIFIED, "metrics": [{"id": "auroc"}, COST]}, "stability")
    assert "show the other metrics only" in sentence


def test_values_of_single_cases_need_no_note():
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "a", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
    }
    assert note(document, "stability") == ""
