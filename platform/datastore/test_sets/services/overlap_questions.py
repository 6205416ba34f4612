"""Answers to the question how many training images of a team match test images.

`docs/test-sets.md` explains what the limits, the smallest number of images, the matching and the noise protect.
"""

import traceback
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Final
from uuid import UUID, uuid4

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Team
from confinement.sandbox import answers
from core.audit.services import record
from core.work.services import UNEXPECTED, Lease, LeaseLostError, ask, claim
from datastore.test_sets import vault
from datastore.test_sets.models import OverlapQuestion, TestSet
from datastore.test_sets.queries.overlap_questions import counted_questions
from datastore.test_sets.queries.work import OVERLAP_QUESTIONS
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.storage import child_limits, delete, local_path, working_folder
from evaluation.test_set_quality.sketches import (
    FEWEST_IMAGES,
    MOST_IMAGES,
    Sketch,
    count_matches,
    dump_sketches,
    is_comparable,
    load_sketches,
    matches,
    noisy_count,
    read_sketch,
)

log = structlog.get_logger(__name__)

ASKED: Final = "overlap_question_asked"
ANSWERED: Final = "overlap_question_answered"
MOST_FAILURES: Final = 5
"""Failed questions of a team per phase, after which it cannot ask again."""

_random = SystemRandom()


def check_rule(phase: Phase) -> int:
    """Return how many questions per team the phase permits.

    Raises
    ------
    TestSetError
        If it permits none, or none at present.
    """
    if phase.overlap_questions_per_team is None:
        raise TestSetError("The rules of this phase do not permit questions about overlap.")
    if not phase.is_open:
        raise TestSetError("You can ask about overlap only while the phase is open.")
    return phase.overlap_questions_per_team


@transaction.atomic
def put(*, actor: User, phase: Phase, team: Team, content: bytes) -> OverlapQuestion:
    """Accept a question. It is answered in the background.

    Parameters
    ----------
    content
        A file of sketches.

    Raises
    ------
    ValidationError
        If the sketches are invalid, too few or too many.
    TestSetError
        If the phase does not answer such questions, or the team has none left.
    """
    most = check_rule(phase)
    test_set = TestSet.objects.filter(phase=phase, is_active=True).first()
    if test_set is None or not test_set.cases.exclude(image_file="").exists():
        raise TestSetError("The test set of this phase has no images that can be compared.")
    try:
        images = len(load_sketches(content))
    except ValueError as error:
        raise ValidationError({"sketches": str(error)}) from error
    if not FEWEST_IMAGES <= images <= MOST_IMAGES:
        raise ValidationError(
            {
                "sketches": f"The file has {images:,} distinct images. A question needs {FEWEST_IMAGES} to "
                f"{MOST_IMAGES:,} images."
            }
        )
    # One question at a time, also of a person with several teams.
    Phase.objects.select_for_update(no_key=True).get(pk=phase.pk)
    counted = counted_questions(phase, team, actor)
    if counted.filter(state__in=OverlapQuestion.OPEN).exists():
        raise TestSetError("Your last question is not answered yet.")
    if counted.count() >= most:
        raise TestSetError(f"You have used all questions of this phase: {most} per team.")
    failures = OverlapQuestion.objects.filter(phase=phase, team=team, state=OverlapQuestion.State.FAILED)
    if failures.count() >= MOST_FAILURES:
        raise TestSetError("Too many questions failed. Write to the organizers.")
    key = uuid4()
    stored = f"overlap-questions/{key}{vault.SUFFIX}"
    vault.keep_bytes(stored, content)
    question = OverlapQuestion.objects.create(
        id=key, phase=phase, team=team, asked_by=actor, test_set=test_set, images=images, stored=stored
    )
    record(
        actor=actor,
        act=ASKED,
        subject=question,
        scope=phase.challenge.slug,
        facts={"phase": phase.slug, "version": test_set.version, "team": team.pk, "images": images},
    )
    ask(OVERLAP_QUESTIONS, question)
    return question


def answer(*, question_id: str | UUID) -> None:
    """Answer a question, unless another worker does it."""
    lease = claim(OVERLAP_QUESTIONS, question_id, give_up=_fail)
    if lease is None:
        return
    question = OverlapQuestion.objects.select_related("phase__task__challenge", "test_set").get(pk=lease.pk)
    try:
        with lease.renewed():
            _answer(question, lease)
    except LeaseLostError:
        return
    except Exception:
        log.exception("overlap_question_failed", question=str(question.pk))
        if lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc(), state=OverlapQuestion.State.WAITING)
        else:
            _fail(lease)


def _fail(lease: Lease) -> None:
    stored = OverlapQuestion.objects.values_list("stored", flat=True).get(pk=lease.pk)
    state = OverlapQuestion.State.FAILED
    if lease.complete(state=state, failure=UNEXPECTED, finished_at=timezone.now(), stored="") and stored:
        delete(stored)


def _answer(question: OverlapQuestion, lease: Lease) -> None:
    asked = load_sketches(vault.read_bytes(question.stored))
    test = _test_sketches(question.test_set, lease)
    count = count_matches(matches(asked, test))
    number = noisy_count(count, len(asked), _random.random)
    with lease.completing() as row:
        row.state, row.answer = OverlapQuestion.State.ANSWERED, number
        row.finished_at, row.stored, row.failure = timezone.now(), "", ""
        record(
            actor=None,
            act=ANSWERED,
            subject=question,
            scope=question.phase.challenge.slug,
            facts={
                "phase": question.phase.slug,
                "version": question.test_set.version,
                "team": question.team_id,
                "images": question.images,
                "answer": number,
            },
        )
    delete(question.stored)


def _test_sketches(test_set: TestSet, lease: Lease) -> list[Sketch]:
    """Return the sketches of the test images, read in confined children. They are not stored."""
    images = test_set.cases.exclude(image_file="").order_by("position").values_list("image_file", flat=True)
    paths = {f"{number}": local_path(stored) for number, stored in enumerate(images)}
    sketches: list[Sketch] = []
    with working_folder() as folder:

        def work(key: str, _: Path) -> object:
            item = read_sketch(paths[key])
            if item is not None and is_comparable(item):
                (folder / key).write_bytes(dump_sketches([item]))
            return "done"

        children = answers(
            list(paths),
            work,
            limits=child_limits(),
            reads=list(dict.fromkeys(paths.values())),
            beat=lease.beat,
            hands_over=folder,
        )
        for child in children:
            file = folder / child.item
            if child.failure is None and file.is_file():
                with suppress(ValueError):
                    sketches += load_sketches(file.read_bytes())
            file.unlink(missing_ok=True)
    return sketches
