"""The description of a submission: form for the team, page for permitted readers."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges import queries as challenge_queries
from challenges.queries import projection_of, registered_document
from challenges.views.access import page_context
from evaluation.designs.checks.running import check_description
from evaluation.designs.document import Document, Entry, State
from submissions import forms
from submissions.domain.method_entries import LINKS, PERSONAL, from_json, parameters, share, words
from submissions.models import Submission
from submissions.queries.methods import (
    asks_for_anonymity,
    description_needed,
    is_anonymous,
    is_public,
    last_method,
    method_of,
    requirement_of,
)
from submissions.queries.submissions import visible_submission
from submissions.services.methods import describe


@login_required
def edit(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Describe how a submission was made."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.view_submission")
    if not test_rule("submissions.decide_submission", request.user, submission):
        raise Http404("Only the team describes its method.")
    errors: dict[str, list[str]] = {}
    copied = None
    method = method_of(submission)
    requirement = requirement_of(submission.phase)
    if request.method == "POST":
        reading = forms.read(request.POST)
        entries, errors = reading.typed, reading.errors
        # An answer that cannot be read keeps what was stored of it before.
        before = from_json(method.entries) if method is not None else {}
        earlier = {name: before[name] for name in errors if name in before and name not in reading.readable}
        stored = earlier | reading.readable
        method = describe(actor=request.user, submission=submission, entries=stored)
        if not errors:
            given = requirement.share(stored)
            messages.success(request, f"Stored: {given.filled} of {given.total} needed answers are given.")
            return redirect("submissions:describe", slug=slug, pk=pk)
    elif method is not None:
        entries = from_json(method.entries)
    else:
        copied = last_method(submission)
        entries = _known(submission, from_json(copied.entries) if copied else {})
    projection = projection_of(challenge)
    document = registered_document(projection.version) if projection else Document()
    needed = {parameter.id for parameter in requirement.parameters}
    findings = [
        finding
        for finding in check_description(
            entries, document=document, task=None, kind="algorithm", phase="submission_description"
        )
        # No check asks for an answer that is blank and not needed.
        if finding.check.parameter in needed or finding.check.parameter in entries
    ]
    return render(
        request,
        "submissions/method_form.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own",
            submission=submission,
            sections=forms.sections(entries, errors, needed),
            errors=[(parameters()[name], text) for name, texts in errors.items() for text in texts],
            share=requirement.share(entries),
            missing=requirement.missing(entries),
            linked=requirement.is_linked(entries),
            link=submission.phase.get_method_link_display() if requirement.link else "",
            link_answers=[parameters()[name] for name in LINKS.get(requirement.link, ())],
            findings=findings,
            copied=copied,
            stored=method is not None,
            needed=description_needed(submission.phase),
        ),
        status=422 if errors else 200,
    )


@require_safe
def public(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """Show a description: to all visitors if it is public, otherwise to the team and the organizers."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    rows = Submission.objects.select_related("phase__task__challenge", "team")
    submission = get_object_or_404(rows, pk=pk, phase__task__challenge=challenge)
    method = method_of(submission)
    insider = request.user.has_perm("submissions.view_submission", submission)
    if method is None or not (insider or is_public(method)):
        raise Http404("There is no such description.")
    entries = from_json(method.entries)
    hidden = set() if insider else set(PERSONAL)
    anonymous = not insider and (is_anonymous(entries) or asks_for_anonymity(submission))
    if anonymous:
        hidden |= {"team_identifier", "code_url", "reference_publication"}
    visible_sections = [
        (label, [(entry.parameter, words(entry.parameter, entries[entry.parameter.id])) for entry in fields])
        for _, label, fields in (
            (key, label, [f for f in fields if f.parameter.id in entries and f.parameter.id not in hidden])
            for key, label, fields in forms.sections(entries, {})
        )
        if fields
    ]
    return render(
        request,
        "submissions/method.html",
        page_context(
            request,
            challenge,
            active_tab="",
            submission=submission,
            shown=visible_sections,
            share=share(entries),
            anonymous=anonymous,
            may_edit=test_rule("submissions.decide_submission", request.user, submission),
            open_to_all=is_public(method),
        ),
    )


def _known(submission: Submission, entries: dict[str, Entry]) -> dict[str, Entry]:
    """Return the entries with the values that the platform knows, which replace those of an earlier description."""
    people = [
        {"name": member.user.display_name, "affiliation": member.user.affiliation or "–"}
        for member in submission.team.members.select_related("user")
    ]
    platform_values = {"team_identifier": submission.team.name, "submission_number": submission.number}
    if "team_members" not in entries and people:
        platform_values["team_members"] = people
    return entries | {name: Entry(value=value, state=State.PROVIDED) for name, value in platform_values.items()}
