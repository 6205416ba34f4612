"""Catalogue of public challenges: search, filters, order, and the facts of each card."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import (
    Case,
    Count,
    F,
    IntegerField,
    Max,
    Min,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.utils import timezone

from challenges import hooks
from challenges.models import Challenge, Organizer, Phase, Task, Team
from challenges.queries.challenges import phase_that_matters
from challenges.queries.timetable import open_at, timetable_of, with_dates
from challenges.rules import readable_by
from registry.models import Facet
from web.wording import left_words

OPEN, UPCOMING, CLOSED = 1, 2, 3
"""States of a challenge, in the order of the catalogue."""
MAX_WORDS: Final = 10
WHOLE_WORD: Final = 3
"""Words of at most this length must match a whole word: "CT" must not find "structure"."""
_TEXTS: Final = (
    *("title", "summary", "description", "data_description"),
    *("projection__registration__listing__acronym", "projection__registration__listing__venue_label"),
)
_DAY: Final = 86_400
_COMMON: Final = frozenset({"MRI", "mp-MRI", "CT", "PET", "OCT", "IVUS"})
"""Abbreviations that readers know better than the long form."""


@dataclass(frozen=True)
class Card:
    """A challenge with the facts that its card shows.

    Attributes
    ----------
    phase
        The phase that matters now; ``None`` without a phase.
    left
        Time until the phase closes or opens, such as ``61 days left``; empty for a closed or endless phase.
    is_urgent
        True if the phase closes within a week.
    cases
        Number of test cases; ``None`` before a test set exists.
    access
        How participants get the data, as text; empty if no data are listed.
    """

    challenge: Challenge
    state: str
    phase: Phase | None
    closes: datetime | None
    left: str
    is_urgent: bool
    host: str
    teams: int
    cases: int | None
    access: str
    modalities: tuple[str, ...]
    anatomies: tuple[str, ...]
    categories: tuple[str, ...]

    @property
    def topics(self) -> tuple[str, ...]:
        """Modalities, anatomies and task categories as short labels, each once."""
        return tuple(dict.fromkeys(map(short_label, [*self.modalities, *self.anatomies, *self.categories])))


def catalogued(user: Any = None) -> QuerySet[Challenge]:
    """Return the public challenges, and with `user` the closed ones that admit the person, with `state`, `next_close`, `next_open` and `last_close`."""
    now = timezone.now()
    phases = with_dates(Phase.objects.filter(task__challenge=OuterRef("pk"), task__removed_at=None).order_by())
    real = phases.filter(is_dry_run=False)
    opened = phases.filter(open_at(now))
    to_come = real.filter(Q(starts__gt=now, ends__gt=now))
    held = real.filter(Q(is_held=True, ends__gt=now))
    visible = Q(is_public=True) if user is None else readable_by(user)
    return Challenge.objects.filter(visible).annotate(
        next_close=_one(opened.filter(stays_open=False), Min("ends")),
        is_endless=_one(opened.filter(stays_open=True), Max("ends")),
        next_open=Coalesce(_one(to_come, Min("starts")), _one(held, Min("starts"))),
        last_close=_one(phases, Max("ends")),
        state=Case(
            When(Q(next_close__isnull=False) | Q(is_endless__isnull=False), then=Value(OPEN)),
            When(next_open__isnull=False, then=Value(UPCOMING)),
            default=Value(CLOSED),
            output_field=IntegerField(),
        ),
    )


def _one(phases: QuerySet[Phase], value: Any) -> Subquery:
    return Subquery(phases.values("task__challenge").annotate(value=value).values("value")[:1])


def ordered(rows: QuerySet[Challenge], order: str) -> QuerySet[Challenge]:
    """Sort challenges of `catalogued`.

    The default order shows open challenges first, by deadline, then upcoming ones, by opening date, then closed ones,
    the last closed first.
    """
    if order == "newest":
        return rows.order_by("-created_at", "-pk")
    if order == "title":
        return rows.order_by("title", "pk")
    if order == "teams":
        counts = Team.objects.filter(challenge=OuterRef("pk")).order_by().values("challenge").annotate(n=Count("pk"))
        return rows.annotate(team_count=Coalesce(Subquery(counts.values("n")), 0)).order_by("-team_count", "title")
    return rows.order_by(
        F("state"),
        F("next_close").asc(nulls_last=True),
        F("next_open").asc(nulls_last=True),
        F("last_close").desc(nulls_last=True),
        "title",
    )


def searched(rows: QuerySet[Challenge], text: str) -> QuerySet[Challenge]:
    """Return the challenges that contain every word, in their texts, organizers or registered terms.

    Short words match whole words, longer ones the beginning of words. A plural matches its singular.
    """
    words = re.findall(r"[\w.+]+", text.lower())[:MAX_WORDS]
    for word in words:
        pattern = word_pattern(word)
        condition = Q(pk__in=Facet.objects.filter(label__iregex=pattern).values("registration__projection__challenge"))
        condition |= Q(pk__in=_organizers(pattern).values("challenge"))
        for field in _TEXTS:
            condition |= Q(**{f"{field}__iregex": pattern})
        rows = rows.filter(condition)
    return rows


def _organizers(pattern: str) -> QuerySet[Organizer]:
    names = ("user__first_name", "user__last_name", "user__affiliation")
    condition = Q()
    for name in names:
        condition |= Q(**{f"{name}__iregex": pattern})
    return Organizer.objects.filter(condition)


def word_pattern(word: str) -> str:
    r"""Return a pattern for a word that SQLite and PostgreSQL read alike.

    Examples
    --------
    >>> word_pattern("ct"), word_pattern("kidneys")
    ('(^|\\W)ct($|\\W)', '(^|\\W)kidney')
    """
    if len(word) > WHOLE_WORD + 1 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    end = r"($|\W)" if len(word) <= WHOLE_WORD else ""
    return rf"(^|\W){re.escape(word)}{end}"


def short_label(label: str) -> str:
    """Return a term for a card: a common abbreviation, else the label without its parentheses.

    Examples
    --------
    >>> short_label("Magnetic Resonance Imaging (MRI)"), short_label("Semantic (binary or multi-class) segmentation")
    ('MRI', 'Semantic segmentation')
    """
    in_parentheses = re.search(r"\(([^()]*)\)", label)
    if in_parentheses and in_parentheses[1] in _COMMON:
        return in_parentheses[1]
    return re.sub(r"\s*\([^()]*\)", "", label).strip() or label


def with_facet(kind: str, value: str) -> Q:
    """Condition of challenges whose registered design has a term (`registry.models.Facet`)."""
    return Q(pk__in=Facet.objects.filter(kind=kind, value=value).values("registration__projection__challenge"))


def facet_choices() -> dict[str, list[tuple[str, str]]]:
    """Return the terms that public challenges have, with their labels, by kind; one query."""
    rows = Facet.objects.filter(registration__projection__challenge__is_public=True).order_by("label")
    choices: dict[str, dict[str, str]] = {}
    for kind, value, label in rows.values_list("kind", "value", "label").distinct():
        choices.setdefault(kind, {}).setdefault(value, label)
    return {kind: list(labels.items()) for kind, labels in choices.items()}


def cards(challenges: Sequence[Challenge]) -> list[Card]:
    """Return the cards of some challenges, in a number of queries that does not depend on how many there are."""
    keys = [challenge.pk for challenge in challenges]
    rows = Challenge.objects.filter(pk__in=keys).prefetch_related(
        Prefetch("tasks", queryset=Task.objects.filter(removed_at=None).prefetch_related("phases")),
        Prefetch("organizer_set", queryset=Organizer.objects.select_related("user").order_by("pk")),
    )
    by_key = {row.pk: row for row in rows}
    facets: dict[int, dict[str, list[str]]] = {}
    terms = Facet.objects.filter(registration__projection__challenge__in=keys).order_by("kind", "label")
    for key, kind, label in terms.values_list("registration__projection__challenge", "kind", "label"):
        facets.setdefault(key, {}).setdefault(kind, []).append(label)
    venues = dict(
        rows.order_by()
        .exclude(projection__registration__listing__venue__in=("", "none"))
        .values_list("pk", "projection__registration__listing__venue_label")
    )
    teams = dict(Team.objects.filter(challenge__in=keys).order_by().values_list("challenge").annotate(n=Count("pk")))
    cases = hooks.case_counts_of(keys)
    access = hooks.access_of(keys)
    now = timezone.now()
    return [
        _card(
            by_key[key],
            now,
            facets.get(key, {}),
            venues.get(key) or "",
            teams.get(key, 0),
            cases.get(key),
            access.get(key, ""),
        )
        for key in keys
    ]


def _card(
    challenge: Challenge,
    now: datetime,
    facets: Mapping[str, list[str]],
    venue: str,
    teams: int,
    cases: int | None,
    access: str,
) -> Card:
    phases = [phase for task in challenge.tasks.all() for phase in task.phases.all()]
    # A challenge with a phase to come is not closed because an earlier phase is.
    to_come = [phase for phase in phases if not phase.is_closed]
    phase = phase_that_matters(to_come) or phase_that_matters(phases)
    closes, left, is_urgent = None, "", False
    if phase is not None:
        timetable = timetable_of(phase)
        closes = timetable.closes
        if phase.is_open and closes is not None:
            left, is_urgent = left_words(closes, now), (closes - now).total_seconds() < 7 * _DAY
    return Card(
        challenge=challenge,
        state=phase.state.value if phase is not None else "",
        phase=phase,
        closes=closes,
        left=left,
        is_urgent=is_urgent,
        host=_host(challenge, venue),
        teams=teams,
        cases=cases,
        access=access,
        modalities=tuple(facets.get(Facet.Kind.MODALITY, ())),
        anatomies=tuple(facets.get(Facet.Kind.ANATOMY, ())),
        categories=tuple(facets.get(Facet.Kind.CATEGORY, ())),
    )


def _host(challenge: Challenge, venue: str) -> str:
    """Event and organizers: “MICCAI 2027, Olivia Osei (DKFZ) and 2 others”."""
    people = [row.user for row in challenge.organizer_set.all() if row.role in Organizer.TRUSTED]
    words = ""
    if people:
        first = people[0]
        words = first.display_name + (f" ({first.affiliation})" if first.affiliation else "")
        if len(people) > 1:
            words += f" and {len(people) - 1} other{'' if len(people) == 2 else 's'}"
    return ", ".join(part for part in (venue, words) if part)
