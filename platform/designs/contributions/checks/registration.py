"""What has to be on public record before something opens or is known."""

from designs import hooks
from designs.models import FieldChange
from evaluation.designs.checks import Subject, register
from evaluation.designs.checks.custom.schedule import dates_of


def registered_before(subject: Subject, events: tuple[str, ...]) -> str | None:
    """What is wrong when the design was not on public record before the first of some events."""
    opens = [day for event in events for day, _ in dates_of(subject, event)]
    if not opens or subject.design is None:
        return None
    times = [time for provider in hooks.registered_at if (time := provider(subject.design)) is not None]
    known = min(times).date() if times else None
    if known is not None:
        return None if known <= min(opens) else f"Registered on {known}, needed before {min(opens)}."
    return f"Not registered yet, and {min(opens)} has passed." if subject.now.date() > min(opens) else None


@register("registered_before_launch", reads=("challenge_schedule",))
def registered_before_launch(subject: Subject) -> str | None:
    return registered_before(subject, ("training_data_release", "registration_open"))


@register("ranking_public_before_submission", reads=("challenge_schedule", "ranking_method"))
def ranking_public_before_submission(subject: Subject) -> str | None:
    if not subject.values.rows("ranking_method") and subject.values.get("ranking_type") != "no_ranking":
        return "There is no ranking scheme on record."
    return registered_before(subject, ("submission_open",))


@register("characteristics_registered_before_results", reads=("image_characteristics", "challenge_schedule"))
def characteristics_registered_before_results(subject: Subject) -> str | None:
    released = [day for day, _ in dates_of(subject, "results_release")]
    if not released or subject.design is None or not subject.values.rows("image_characteristics"):
        return None
    changes = FieldChange.objects.filter(design=subject.design, parameter="image_characteristics")
    late = changes.filter(time__date__gte=min(released), task__key=subject.values.task_key).order_by("time").first()
    return f"They were changed on {late.time.date()}, results came on {min(released)}." if late else None
