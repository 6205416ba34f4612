"""Other designs: names and acronyms that are taken."""

from collections.abc import Iterator

from django.db.models import Q

from designs import hooks
from designs.hooks import RegisteredName
from designs.models import FieldValue
from evaluation.designs.checks.registry import Subject, register

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
    """What other designs are called."""
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
