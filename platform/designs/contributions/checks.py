"""Checks that look at what is stored: other designs, the history of this one, answers of web addresses."""

from collections.abc import Iterator

from django.db.models import Q

from designs import hooks
from designs.hooks import RegisteredName
from designs.models import FieldChange, FieldValue, LinkAnswer
from evaluation.designs.checks import Subject, register
from evaluation.designs.checks.custom.schedule import dates_of


@register("url_reachable", reads=("challenge_website", "submission_instructions_url"))
def url_reachable(subject: Subject) -> str | None:
    url = subject.values.text(subject.check.parameter)
    if not url or subject.design is None:
        return None
    answer = LinkAnswer.objects.filter(url=url).first()
    if answer is None or answer.works:
        return None
    return f"Asked on {answer.asked_at:%Y-%m-%d}: {answer.words}."


_PARAMETERS = ("challenge_name", "challenge_acronym", "challenge_year")


def frozen_names() -> Iterator[RegisteredName]:
    """Names of designs that have a version or are public; the registry adds those that it keeps itself."""
    rows = FieldValue.objects.filter(
        Q(design__versions__isnull=False) | Q(design__is_public=True), parameter__in=_PARAMETERS, task=None
    ).values_list("design_id", "parameter", "value")
    designs: dict[int, dict[str, object]] = {}
    for design, parameter, value in rows:
        designs.setdefault(design, {})[parameter] = value
    for design, values in designs.items():
        year = values.get("challenge_year")
        yield RegisteredName(
            design_id=design,
            name=str(values.get("challenge_name") or ""),
            acronym=str(values.get("challenge_acronym") or ""),
            year=year if isinstance(year, int) else None,
        )


def others(subject: Subject) -> Iterator[RegisteredName]:
    """Yield the names of the other designs."""
    for provider in (frozen_names, *hooks.registered_names):
        for entry in provider():
            if subject.design is None or entry.design_id != subject.design.pk:
                yield entry


@register("unique_registered_name", reads=("challenge_name", "challenge_year"))
def unique_registered_name(subject: Subject) -> str | None:
    name, year = subject.values.text("challenge_name").casefold(), subject.values.get("challenge_year")
    if not name or subject.design is None:
        return None
    taken = any(entry.name.casefold() == name and entry.year == year for entry in others(subject))
    return f"“{subject.values.text('challenge_name')}” ({year or 'no year'}) is taken." if taken else None


@register("unique_registered_acronym", reads=("challenge_acronym",))
def unique_registered_acronym(subject: Subject) -> str | None:
    acronym = subject.values.text("challenge_acronym").casefold()
    if not acronym or subject.design is None:
        return None
    # An earlier edition of the same challenge keeps its acronym.
    name = subject.values.text("challenge_name").casefold()
    taken = next(
        (entry for entry in others(subject) if entry.acronym.casefold() == acronym and entry.name.casefold() != name),
        None,
    )
    return f"{taken.name} uses it." if taken else None


def registered_before(subject: Subject, events: tuple[str, ...]) -> str | None:
    """Return the problem if the design was not on public record before the first of some events."""
    opens = [day for event in events for day, _ in dates_of(subject, event)]
    if not opens or subject.design is None:
        return None
    times = [time for provider in hooks.registered_at if (time := provider(subject.design)) is not None]
    registered_on = min(times).date() if times else None
    if registered_on is not None:
        return None if registered_on <= min(opens) else f"Registered on {registered_on}, needed before {min(opens)}."
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
