"""The platform uses the wordings that replaced unclear ones."""

import json
import re
from pathlib import Path

import pytest

from tests.unit.web.test_wording import written

ROOT = Path(__file__).parents[3]
BETTER = (
    r"It describes these resamples and proves no order\.",
    r"No algorithm gains by omitting bad cases\.",
    r"Results by case are published on ",
    r"^Missing predictions: ",
    r"resampling range",
    r"placed\.yours",
    r"too few cases to say more",
    r"0 is best\.",
    r"Can.t answer this\?",
    r"\{have\} word\{s\} so far; at least \{need\} needed\.",
    r"Counts filled fields, not their quality\.",
    r"The public report hides sealed",
    r"This page is for the organizers of the challenge\.",
    r"Submission deadline",
    r"^Not specified$|>Not specified<|Not specified",
    r">Search</",
    r"published on the day submissions open",
)
OLD = ("Designs are filed until", "Take off", "Nought", "The figure is drawn by a script", "The result is stored.")


@pytest.fixture(scope="module")
def texts():
    return [text for _, text in written()]


@pytest.mark.parametrize("pattern", BETTER)
def test_the_better_wording_is_used(pattern, texts):
    assert any(re.search(pattern, text) for text in texts)


def test_organizers_are_asked_for_in_plain_words():
    catalogue = json.loads((ROOT / "evaluation/designs/catalogue/parameters.v1.json").read_text(encoding="utf-8"))
    assert "Add at least one organizer." in json.dumps(catalogue)


def test_an_empty_queue_is_called_empty():
    assert "{% else %}empty{% endif %}" in (ROOT / "templates/results/work.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("old", OLD)
def test_the_worse_wording_is_not(old, texts):
    assert not [text for text in texts if old in text]
