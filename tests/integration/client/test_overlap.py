"""`podium overlap`: sketches at home, the rule of a phase, and one number, over real HTTP."""

import json

import numpy as np
import pytest
import requests
from PIL import Image

from challenges.models import Phase
from datastore.test_sets.models import OverlapQuestion
from datastore.test_sets.services import overlap_questions
from tests.integration.test_sets.test_overlap_questions import exact, phase
from tests.integration.test_sets.test_overlaps import texture

__all__ = ["exact", "phase"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.any_database("The client compares without a database."),
]


@pytest.fixture
def training(tmp_path):
    """48 images of a team, of which three are test images, and one without structure."""
    folder = tmp_path / "training"
    folder.mkdir()
    for number in range(50):
        content = texture(number if number < 3 else 100 + number, 64)[:, ::-1]
        Image.fromarray(content).save(folder / f"image{number}.png")
    Image.fromarray(np.zeros((64, 64), np.uint8)).save(folder / "empty.png")
    (folder / "notes.txt").write_text("none")
    return folder


def test_the_command_shows_the_rule_and_then_the_number(podium, phase: Phase, exact, training, tmp_path, monkeypatch):
    words = ("overlap", training, "--challenge", "blocks", "--phase", phase.slug)
    sent = tmp_path / "sent.bin"
    code, out, err = podium(*words, "--output", sent)
    assert code == 0, err
    assert "1 of 51 images have too little structure to be compared, for example empty." in err
    assert "50 distinct images can be compared." in out
    assert "Your team has 2 of 2 questions left in this phase." in out
    assert "Nothing was sent." in out
    assert not OverlapQuestion.objects.exists()
    assert sent.stat().st_size > 50 * 10 * 44

    real = requests.Session.request

    def request(self, method, url, **more):
        for row in OverlapQuestion.objects.filter(state="waiting"):
            overlap_questions.answer(question_id=row.pk)
        return real(self, method, url, **more)

    monkeypatch.setattr("podium_client.overlapping._SECONDS", 0)
    monkeypatch.setattr(requests.Session, "request", request)
    code, out, err = podium("--json", *words, "--send")
    assert code == 0, err
    assert json.loads(out) == {"images": 50, "answer": 3, "error": 8, "left": 1, "per_team": 2}


def test_the_command_states_what_prevents_a_question(podium, phase: Phase, training):
    words = ("overlap", training, "--challenge", "blocks", "--phase", phase.slug, "--send")
    for number in range(3):
        (training / f"image{number}.png").unlink()
    code, _, err = podium(*words)
    assert (code, "needs 50 to 2,000 distinct images; the folder has 47" in err) == (2, True)
    Phase.objects.filter(pk=phase.pk).update(overlap_questions_per_team=None)
    code, _, err = podium(*words)
    assert (code, "do not permit questions about overlap" in err) == (2, True)
    for path in training.glob("image*.png"):
        path.unlink()
    code, _, err = podium(*words)
    assert (code, "has no image that can be compared" in err) == (2, True)
