"""Questions of teams about overlap: who asks, what is answered, what is stored, and what is refused."""

from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import issue_token
from challenges.models import Organizer, Phase, Team
from challenges.services import join_with_team
from core.audit.models import Entry
from datastore.test_sets.models import OverlapQuestion
from datastore.test_sets.services import overlap_questions
from datastore.test_sets.services.replacing import TestSetError
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.storage import local_path
from evaluation.test_set_quality.sketches import FEWEST_IMAGES, Sketch, dump_sketches, sketch
from tests.integration.submissions.test_tables import add_phase
from tests.integration.submissions.world import World
from tests.integration.test_sets.test_overlaps import png, texture

pytestmark = pytest.mark.django_db(transaction=True)

CASES = tuple(f"scan-{number}" for number in range(12))
DOCUMENT = {
    "schema": 1,
    "problem": "image_classification",
    "regions": [{"name": name, "labels": [name]} for name in ("benign", "malignant")],
    "metrics": [{"id": "accuracy"}],
    "ranking": {"scheme": "one_score"},
    "uncertainty": {"bootstrap": 0, "seed": 1},
}


def unrelated(seed: int) -> Sketch:
    """Return a sketch of an image that matches no other one."""
    values = np.random.default_rng([7, seed]).integers(-40, 40, (40, 44)).astype(np.int8)
    return Sketch(2, np.unique(values, axis=0))


def question(matching: int, images: int = FEWEST_IMAGES) -> bytes:
    """Return a file of sketches in which the first images are test images, reflected and with other intensities."""
    own = [sketch(np.sqrt(texture(seed, 64)[::-1].astype(float))) for seed in range(matching)]
    return dump_sketches([*own, *(unrelated(seed) for seed in range(images - matching))])


@pytest.fixture
def phase(world: World, tmp_path: Path) -> Phase:
    """An open phase with twelve test images, which permits two questions."""
    entry = add_phase(world, "images", DOCUMENT)
    folders = tmp_path / "table", tmp_path / "pictures"
    for folder in folders:
        folder.mkdir()
    for number, case in enumerate(CASES):
        (folders[1] / f"{case}.png").write_bytes(png(texture(number, 64)))
    rows = [f"{case},{label}" for case, label in zip(CASES, ("benign", "malignant") * 6, strict=True)]
    (folders[0] / "labels.csv").write_text("\n".join(["case,label", *rows]))
    create_test_set(phase=entry, references=folders[0], images=folders[1], cases=CASES)
    Phase.objects.filter(pk=entry.pk).update(overlap_questions_per_team=2)
    entry.refresh_from_db()
    return entry


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers without noise."""
    monkeypatch.setattr(overlap_questions, "noisy_count", lambda count, *_: count)


def team_of(world: World, user: User) -> Team:
    return Team.objects.get(members__user=user, challenge=world.challenge)


def ask(client, phase: Phase, content: bytes, **more):
    address = f"/api/v1/challenges/blocks/phases/{phase.pk}/overlap-questions/"
    return client.post(address, {"sketches": SimpleUploadedFile("sketches.bin", content)}, **more)


def test_a_team_gets_one_number(client, world: World, phase: Phase, exact) -> None:
    client.force_login(world.ada)
    response = ask(client, phase, question(7))
    assert response.status_code == 201
    content = response.json()
    assert (content["state"], content["images"], content["answer"]) == ("waiting", 50, None)
    row = OverlapQuestion.objects.get()
    stored = row.stored
    assert b"sketches" not in local_path(stored).read_bytes(), "sketches are stored encrypted"
    overlap_questions.answer(question_id=row.pk)
    overlap_questions.answer(question_id=row.pk)  # a message that comes twice changes nothing
    address = f"/api/v1/challenges/blocks/phases/{phase.pk}/overlap-questions/"
    answer = client.get(f"{address}{row.pk}/").json()
    assert (answer["state"], answer["answer"]) == ("answered", 7)
    assert set(answer) == {"id", "phase", "state", "images", "answer", "created_at", "finished_at"}
    row.refresh_from_db()
    assert row.stored == ""
    assert not local_path(stored).exists()
    rule = client.get(address).json()
    assert (rule["per_team"], rule["left"], len(rule["questions"])) == (2, 1, 1)
    entries = Entry.objects.filter(act__startswith="overlap_question").order_by("sequence")
    assert [(entry.act, entry.facts.get("answer")) for entry in entries] == [
        ("overlap_question_asked", None),
        ("overlap_question_answered", 7),
    ]
    assert not any(case in str(entry.facts) + str(answer) + str(rule) for case in CASES for entry in entries)


def test_versions_of_one_image_count_once(world: World, phase: Phase, exact) -> None:
    base = np.sqrt(texture(3, 64).astype(float))
    versions = [sketch(base[:, shift:]) for shift in range(6)]
    content = dump_sketches([*versions, *(unrelated(seed) for seed in range(50))])
    row = overlap_questions.put(actor=world.ada, phase=phase, team=team_of(world, world.ada), content=content)
    overlap_questions.answer(question_id=row.pk)
    row.refresh_from_db()
    assert row.answer in (0, 1)


def test_the_stored_answer_has_noise(world: World, phase: Phase, monkeypatch) -> None:
    draws = iter([0.99, 0.0])
    monkeypatch.setattr(overlap_questions._random, "random", lambda: next(draws))
    row = overlap_questions.put(actor=world.ada, phase=phase, team=team_of(world, world.ada), content=question(0))
    overlap_questions.answer(question_id=row.pk)
    row.refresh_from_db()
    assert row.answer == 10


def test_the_limit_counts_for_the_team_and_for_the_person(world: World, phase: Phase, exact) -> None:
    ada, team = world.ada, team_of(world, world.ada)
    first = overlap_questions.put(actor=ada, phase=phase, team=team, content=question(0))
    with pytest.raises(TestSetError, match="not answered yet"):
        overlap_questions.put(actor=ada, phase=phase, team=team, content=question(0))
    overlap_questions.answer(question_id=first.pk)
    second = overlap_questions.put(actor=ada, phase=phase, team=team, content=question(1))
    overlap_questions.answer(question_id=second.pk)
    member = User.objects.create_user("member")
    other_team = join_with_team(challenge=world.challenge, user=User.objects.create_user("other"), team_name="Others")
    for actor, used in ((ada, team), (member, team), (ada, other_team)):
        with pytest.raises(TestSetError, match="used all questions of this phase: 2 per team"):
            overlap_questions.put(actor=actor, phase=phase, team=used, content=question(0))
    assert overlap_questions.put(actor=member, phase=phase, team=other_team, content=question(0)).state == "waiting"


def test_a_failed_question_does_not_count_but_failures_are_limited(world: World, phase: Phase, monkeypatch) -> None:
    monkeypatch.setattr(overlap_questions, "matches", lambda *_: 1 / 0)
    monkeypatch.setattr(overlap_questions, "MOST_FAILURES", 3)
    team = team_of(world, world.ada)
    for _ in range(3):
        row = overlap_questions.put(actor=world.ada, phase=phase, team=team, content=question(0))
        for _ in range(3):
            OverlapQuestion.objects.update(due_at=None)
            overlap_questions.answer(question_id=row.pk)
        row.refresh_from_db()
        assert (row.state, row.stored, row.answer) == (OverlapQuestion.State.FAILED, "", None)
    with pytest.raises(TestSetError, match="Too many questions failed"):
        overlap_questions.put(actor=world.ada, phase=phase, team=team, content=question(0))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a file of sketches"),
        (b"PK\x03\x04", "not a file of sketches"),
        (dump_sketches([unrelated(seed) for seed in range(FEWEST_IMAGES - 1)]), "49 distinct images"),
        (dump_sketches([unrelated(1)] * FEWEST_IMAGES), "1 distinct images"),
    ],
)
def test_other_content_is_refused(client, world: World, phase: Phase, content: bytes, words: str) -> None:
    client.force_login(world.ada)
    response = ask(client, phase, content)
    assert response.status_code == 400
    assert words in str(response.json()["errors"])
    assert not OverlapQuestion.objects.exists()


def test_no_question_without_the_registered_rule_or_outside_the_phase(client, world: World, phase: Phase) -> None:
    client.force_login(world.ada)
    Phase.objects.filter(pk=phase.pk).update(overlap_questions_per_team=None)
    response = ask(client, phase, question(0))
    assert (response.status_code, "do not permit" in response.json()["detail"]) == (409, True)
    Phase.objects.filter(pk=phase.pk).update(overlap_questions_per_team=1, is_held=True)
    response = ask(client, phase, question(0))
    assert (response.status_code, "while the phase is open" in response.json()["detail"]) == (409, True)
    without = world.phase
    Phase.objects.filter(pk=without.pk).update(overlap_questions_per_team=1)
    response = ask(client, without, question(0))
    assert (response.status_code, "no images" in response.json()["detail"]) == (409, True)
    with pytest.raises(IntegrityError), transaction.atomic():
        Phase.objects.filter(pk=phase.pk).update(overlap_questions_per_team=4)


def test_only_teams_of_the_phase_ask_and_read(client, world: World, phase: Phase, exact) -> None:
    address = f"/api/v1/challenges/blocks/phases/{phase.pk}/overlap-questions/"
    row = overlap_questions.put(actor=world.ada, phase=phase, team=team_of(world, world.ada), content=question(0))
    other = User.objects.create_user("other")
    join_with_team(challenge=world.challenge, user=other, team_name="Others")
    manager = User.objects.create_user("manager")
    Organizer.objects.create(challenge=world.challenge, user=manager, role=Organizer.Role.MANAGER)
    people = {
        "anonymous": None,
        "stranger": User.objects.create_user("stranger"),
        "owner": world.organizer,
        "manager": manager,
        "team": world.ada,
        "other team": other,
    }
    found = {}
    for role, user in people.items():
        client.logout()
        if user is not None:
            client.force_login(user)
        answers = [client.get(address), client.get(f"{address}{row.pk}/"), ask(client, phase, b"")]
        found[role] = tuple(answer.status_code for answer in answers)
    assert found == {
        "anonymous": (401, 401, 401),
        "stranger": (403, 403, 403),
        "owner": (403, 403, 403),
        "manager": (403, 403, 403),
        "team": (200, 200, 400),
        "other team": (200, 404, 400),
    }
    client.force_login(world.ada)
    assert client.get(f"{address}{uuid4()}/").status_code == 404
    client.logout()
    _, reading = issue_token(user=world.ada, name="reading", scopes=["read"], days=1)
    headers = {"HTTP_AUTHORIZATION": f"Bearer {reading}"}
    assert client.get(address, **headers).status_code == 200
    assert ask(client, phase, question(0), **headers).status_code == 403
