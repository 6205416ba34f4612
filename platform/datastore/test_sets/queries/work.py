"""Durable work on test sets that is queued for workers."""

from django.db.models import Q

from core.work.kinds import Kind
from datastore.test_sets.models import OverlapCheck, OverlapQuestion, TestSetArchive

CHECKING = Kind(
    name="test_sets",
    doing="checking a test set",
    model=TestSetArchive,
    is_open=Q(state__in=TestSetArchive.OPEN),
    begins={"state": TestSetArchive.State.CHECKING},
    task="test_sets.tasks.take_test_set",
    attempts=3,
    order=("created_at",),
    challenge="phase__task__challenge",
)
OVERLAPS = Kind(
    name="overlaps",
    doing="comparing test images",
    model=OverlapCheck,
    is_open=Q(state__in=OverlapCheck.OPEN),
    begins={"state": OverlapCheck.State.RUNNING},
    task="test_sets.tasks.compare_images",
    attempts=3,
    order=("created_at",),
    challenge="test_set__phase__task__challenge",
)
OVERLAP_QUESTIONS = Kind(
    name="overlap_questions",
    doing="comparing training images of teams",
    model=OverlapQuestion,
    is_open=Q(state__in=OverlapQuestion.OPEN),
    begins={"state": OverlapQuestion.State.RUNNING},
    task="test_sets.tasks.answer_overlap_question",
    attempts=3,
    order=("created_at",),
    challenge="phase__task__challenge",
)
