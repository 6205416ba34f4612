"""The page that moves the deadline of a phase."""

import rules
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges import queries
from challenges.forms.deadlines import DaysForm, MoveForm
from challenges.models import Phase
from challenges.services.deadlines import move_deadline as move
from challenges.services.deadlines import prepare_later_deadline
from challenges.views.pages import challenge_context
from registry.changes.models import ChangeClass
from registry.hooks import operation_of
from web.wording import moment_words


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def move_deadline(request: SignedInRequest, slug: str, phase: int) -> HttpResponse:
    """Choose a later deadline, show what changes and who is notified, and move it."""
    challenge = queries.visible_challenge(request.user, slug)
    entry = get_object_or_404(Phase.objects.select_related("task__challenge"), pk=phase, task__challenge=challenge)
    projection = queries.projection_of(challenge)
    if projection is None or not rules.test_rule("changes.request", request.user, projection.registration):
        raise PermissionDenied("Only people who may change the registered design can change dates.")
    data = request.POST if request.method == "POST" else request.GET
    days_form = DaysForm(data if "days" in data or "until" in data else None, phase=entry)
    form = MoveForm(request.POST if request.method == "POST" else None)
    operation = operation_of(projection.registration)
    context = {
        **challenge_context(request, challenge),
        "active_tab": "challenges:organize",
        "phase": entry,
        "label": queries.label_of(entry),
        "registration": projection.registration,
        "days_form": days_form,
        "form": form,
        "participants": len(operation.participants) if operation else 0,
    }
    if entry.is_closed or entry.stays_open or not days_form.is_bound or not days_form.is_valid():
        status = 422 if days_form.is_bound and days_form.errors else 200
        return render(request, "challenges/deadline.html", context, status=status)
    days = days_form.cleaned_data["days"]
    errors: list[str] = []
    if request.method == "POST" and form.is_valid():
        try:
            move(actor=request.user, phase=entry, days=days, reason=form.cleaned_data["reason"])
        except ValidationError as error:
            errors = error.messages
        else:
            entry.refresh_from_db()
            messages.success(
                request, f"{context['label']} closes on {moment_words(entry.ends_at)}. Participants are notified."
            )
            return redirect("challenges:organize", slug=slug)
    try:
        _, severity = prepare_later_deadline(entry, days)
    except ValidationError as error:
        errors = [*errors, *error.messages]
    else:
        context |= {"severity": severity, "possible": severity.change_class == ChangeClass.EXTENSION, "days": days}
    status = 422 if errors or (request.method == "POST" and form.errors) else 200
    return render(request, "challenges/deadline.html", {**context, "errors": errors}, status=status)
