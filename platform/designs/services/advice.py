"""Answers of the dialogue, and taking its metrics into the design."""

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from designs.models import DesignTask, TaskAnswers
from designs.queries import document_of
from designs.services.fields import Saved, save_field
from evaluation.advice import FingerprintError
from evaluation.designs.advising import consult, departures_of, fingerprint_of, recommended_rows, regions_of

MAX_REASON = 5000


@transaction.atomic
def answer_question(*, actor: User, task: DesignTask, item: str, answer: str, region: str = "") -> TaskAnswers:
    """Keep an answer of the dialogue.

    Parameters
    ----------
    answer
        The value as JSON; ``null`` is “I do not know”, empty takes the answer back.
    region
        The scored region or class that it is about, where it differs from the others; empty for all of them.

    Raises
    ------
    ValidationError
        For a question, an answer or a region that is not known.
    """
    return _keep(actor, task, "answers", item, answer, region=region)


@transaction.atomic
def choose_option(*, actor: User, task: DesignTask, guide: str, option: str) -> TaskAnswers:
    """Keep a choice between metrics that the answers leave open; empty takes it back.

    Raises
    ------
    ValidationError
        For a guide or an option that the recommender does not know.
    """
    return _keep(actor, task, "choices", guide, json.dumps(option) if option else "")


@transaction.atomic
def give_reason(*, actor: User, task: DesignTask, departure: str, text: str) -> TaskAnswers:
    """Store the reason why the design departs from a recommendation; an empty text removes it.

    Parameters
    ----------
    departure
        Text of the departure (`evaluation.designs.advising.Reasoned.key`).

    Raises
    ------
    ValidationError
        When the design does not depart in this way.
    """
    stored, _ = TaskAnswers.objects.select_for_update(no_key=True).get_or_create(task=task)
    values = document_of(task.design).values(task.key)
    departures = {entry.key for entry in departures_of(values, stored)}
    if departure not in departures:
        raise ValidationError("The design does not depart from the recommendation in this way any more.")
    # Reasons of departures that are gone are kept: the next change may bring them back.
    reasons = {**stored.reasons, departure: text.replace("\x00", "").strip()[:MAX_REASON]}
    stored.reasons = {key: reason for key, reason in reasons.items() if reason}
    stored.changed_at = timezone.now()
    stored.save()
    record(
        actor=actor,
        act="design_departure_reasoned",
        subject=task.design,
        scope=task.design.slug,
        facts={"task": task.key, "departure": departure},
    )
    return stored


@transaction.atomic
def take_recommended_metrics(*, actor: User, task: DesignTask) -> Saved:
    """Put every recommended metric that is not there yet into the design.

    Raises
    ------
    ValidationError
        When nothing is recommended yet.
    """
    values = document_of(task.design).values(task.key)
    stored = TaskAnswers.objects.filter(task=task).first() or TaskAnswers(task=task)
    advice = consult(values, stored)
    if not advice.metrics:
        raise ValidationError("No recommendation yet. Answer the questions first.")
    return save_field(
        actor=actor,
        design=task.design,
        task=task,
        parameter="metrics",
        value=recommended_rows(advice, values.rows("metrics")),
    )


def _keep(actor: User, task: DesignTask, kind: str, identity: str, text: str, *, region: str = "") -> TaskAnswers:
    stored, _ = TaskAnswers.objects.select_for_update(no_key=True).get_or_create(task=task)
    values = document_of(task.design).values(task.key)
    if region and region not in regions_of(values):
        raise ValidationError("There is no such region in this task.")
    given_answers: dict[str, Any] = dict(stored.classes.get(region) or {}) if region else dict(getattr(stored, kind))
    try:
        if text:
            given_answers[identity] = json.loads(text)
        else:
            given_answers.pop(identity, None)
    except ValueError as error:
        raise ValidationError("Choose one of the listed answers.") from error
    if region:
        classes = {**stored.classes, region: given_answers}
        stored.classes = {name: answers for name, answers in classes.items() if answers}
    else:
        setattr(stored, kind, given_answers)
    try:
        fingerprint_of(values, stored)
    except FingerprintError as error:
        raise ValidationError(str(error)) from error
    stored.changed_at = timezone.now()
    stored.save()
    record(
        actor=actor,
        act="design_question_answered",
        subject=task.design,
        scope=task.design.slug,
        facts={
            "task": task.key,
            "item": identity,
            "answer": given_answers.get(identity),
            **({"region": region} if region else {}),
        },
    )
    return stored
