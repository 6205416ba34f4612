"""The public record: the registered design, its versions, and what came of it."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from core.audit.models import Entry
from evaluation.designs.completeness import completeness, history
from evaluation.designs.differences import compare as differences_between
from registry import hooks, queries
from registry.domain.public_documents import withheld
from registry.models import Deposit, Registration, RegistrationVersion, Statistics
from registry.queries.citing import reference_of, sentence
from registry.tables import creative_work
from registry.views.context import record_context


@require_safe
def detail(request: HttpRequest, identifier: str) -> HttpResponse:
    """The record in its newest version."""
    registration = queries.announced_registration(identifier)
    if not request.user.has_perm("registry.read_registration", registration):
        return _embargoed(request, registration)
    if registration.identifier != identifier:
        return redirect(registration, permanent=not registration.is_embargoed)
    return _page(request, registration, queries.current_version(registration))


@require_safe
def version(request: HttpRequest, identifier: str, number: str) -> HttpResponse:
    """The record in one version, for good."""
    registration = queries.registration_or_404(identifier, request.user)
    record_version = queries.version_or_404(registration, number)
    if registration.identifier != identifier:
        return redirect(record_version, permanent=True)
    return _page(request, registration, record_version)


@require_safe
def versions(request: HttpRequest, identifier: str) -> HttpResponse:
    """All versions with what changed, and the way to compare any two."""
    registration = queries.registration_or_404(identifier, request.user)
    rows = list(registration.versions.defer("canonical", "sealed").select_related("deposit").prefetch_related("files"))
    entries = _entries(rows)
    return render(
        request,
        "registry/versions.html",
        {
            **record_context(request, registration, "registry:versions"),
            "versions": [{"version": row, "entry": entries.get(str(row.pk))} for row in rows],
        },
    )


@require_safe
def compare(request: HttpRequest, identifier: str) -> HttpResponse:
    """Any two versions, field by field (REG-6)."""
    registration = queries.registration_or_404(identifier, request.user)
    by_number = {row.number: row for row in registration.versions.all()}
    numbers = list(by_number)
    before = request.GET.get("from") or numbers[min(1, len(numbers) - 1)]
    after = request.GET.get("to") or numbers[0]
    if before not in by_number or after not in by_number:
        raise Http404("There is no such version.")
    old, new = (queries.shown_document(by_number[number]) for number in (before, after))
    names = {values.task_key: values.name for values in (*old.each_task(), *new.each_task())}
    return render(
        request,
        "registry/compare.html",
        {
            **record_context(request, registration, "registry:versions"),
            "numbers": numbers,
            "before": before,
            "after": after,
            "differences": [
                {"difference": entry, "task": names.get(entry.task, "")} for entry in differences_between(old, new)
            ],
        },
    )


def _embargoed(request: HttpRequest, registration: Registration) -> HttpResponse:
    """Return what everyone sees of a registration under embargo: identifier, dates and digests."""
    versions = queries.embargoed_versions().filter(registration=registration)
    context = {
        "identifier": registration.identifier,
        "versions": versions,
        "trail": [("Registry", reverse("registry:list"))],
    }
    return render(request, "registry/embargoed.html", context)


def _page(request: HttpRequest, registration: Registration, record_version: RegistrationVersion) -> HttpResponse:
    current = queries.current_version(registration)
    data = record_version.document
    reference = reference_of(record_version, data)
    document = queries.shown_document(record_version)
    opened = queries.opened_values(record_version)
    names = {values.task_key: values.name for values in document.each_task()}
    answered = queries.answered_checks(record_version)
    links = [*hooks.links_of(registration), *queries.stated_links(data)]
    context: dict[str, Any] = {
        **record_context(request, registration, "registry:detail"),
        "version": record_version,
        "is_current": record_version.pk == current.pk,
        "current": current,
        "facts": queries.record_facts(document),
        "parts": queries.record_parts(record_version),
        "answered": answered,
        "unanswered": sum(not row.answer for row in answered),
        "abstract": document.values().text("challenge_abstract"),
        "reference": reference,
        "badge_html": _badge_html(request, registration),
        "citation": sentence(reference),
        "deposit": Deposit.objects.filter(version=record_version).first(),
        "entry": _entries([record_version]).get(str(record_version.pk)),
        "withheld": [
            _withheld(field_path, event, digest, names)
            for field_path, (event, digest) in withheld(data).items()
            if field_path not in opened
        ],
        "opened": [
            {"entry": entry, **_withheld(field_path, entry.event, "", names)} for field_path, entry in opened.items()
        ],
        "reviews": queries.review_summary(registration),
        "seals": hooks.seals_of(registration),
        "life": _life(registration, links),
        "links": links,
        "next_editions": registration.next_editions.filter(is_embargoed=False).select_related("listing"),
        "execution": queries.execution_facts(record_version),
        "sections": hooks.sections_of(request, registration),
        "completeness": completeness(document),
        "history": history(),
        "beside": _beside(registration.listing.figures),
        "json_ld": creative_work(record_version, registration.listing, reference),
    }
    return render(request, "registry/detail.html", context)


def _life(registration: Registration, links: list[hooks.Link]) -> list[tuple[str, datetime | None]]:
    """Return the events of a registration so far, with a date where one exists.

    The events are registered, launched, opened, closed, reported and ended. A challenge that is not public yet
    does not count as launched for readers of the record.
    """
    events: list[tuple[str, datetime | None]] = [("Registered", registration.registered_at)]
    operation, now = hooks.operation_of(registration), timezone.now()
    if operation is not None and operation.is_public:
        events.append(("Launched", operation.launched_at))
        for label, moment in (("Submissions opened", operation.opens_at), ("Closed", operation.closes_at)):
            if moment is not None and moment <= now:
                events.append((label, moment))
    if any(link.kind == "report" for link in links):
        events.append(("Reported", None))
    if registration.is_ended:
        events.append((registration.get_state_display().capitalize(), registration.state_changed_at))
    return events


def _badge_html(request: HttpRequest, registration: Registration) -> str:
    """Return the HTML that shows the badge on another page, for users to copy."""
    page = request.build_absolute_uri(registration.get_absolute_url())
    picture = request.build_absolute_uri(reverse("registry:badge", args=[registration.identifier]))
    return f'<a href="{page}"><img src="{picture}" alt="Registered design {registration.identifier}" height="20"></a>'


def _withheld(field_path: str, event: str, digest: str, names: dict[str | None, str]) -> dict[str, str]:
    from evaluation.designs.catalogue import shipped

    where, parameter = field_path.split("/", 1)
    return {
        "place": field_path,
        "label": shipped()[parameter].label,
        "task": names.get(where, ""),
        "event": event.replace("_", " "),
        "digest": digest,
    }


def _beside(figures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return numbers of the design next to the published ones and those of the registry.

    They are for orientation and are not a rule (REV-13).
    """
    stored = Statistics.objects.filter(pk=1).first()
    rows = {row["key"]: row for row in (stored.content.get("rows", []) if stored else [])}
    wanted = ("training", "test", "annotators", "centers")
    return [
        {**rows[key], "own": [{"task": task["name"], "value": task[key]} for task in figures]}
        for key in wanted
        if key in rows
    ]


def _entries(rows: list[RegistrationVersion]) -> dict[str, Entry]:
    entries = Entry.objects.filter(
        act="registration_version_added",
        subject_type="registry.registrationversion",
        subject_id__in=[str(row.pk) for row in rows],
    )
    return {entry.subject_id: entry for entry in entries}
