"""Calls: the list, the page of a call, and what chairs settle."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from reviews import queries
from reviews.domain.sections import SECTIONS
from reviews.forms import CallForm, MailTextForm, MessageForm, QuestionForm
from reviews.models import Call, MailText, Question
from reviews.services import calls as services
from reviews.services.defaults import MAILS
from reviews.services.mails import example_letter
from reviews.services.messages import receivers, write_to
from reviews.views.access import call_context, call_for, own_designs, reviewer_in
from reviews.views.letters import ShownLetter, lettered
from web.spreadsheets import csv_file


@require_safe
def call_list(request: HttpRequest) -> HttpResponse:
    """Published calls, and those that the person chairs or reviews for."""
    return render(
        request,
        "reviews/calls.html",
        {
            "calls": queries.calls_for(request.user),
            "may_found": request.user.has_perm("reviews.found_call"),
        },
    )


@login_required
def create(request: SignedInRequest) -> HttpResponse:
    """Make a call."""
    if not request.user.has_perm("reviews.found_call"):
        raise PermissionDenied("Chairs make calls; an administrator adds people to the group “chairs”.")
    form = CallForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            call = services.create_call(actor=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "The call is made, with the default questions and mail texts.")
            return redirect(call)
    return render(request, "reviews/create.html", {"form": form, "trail": [("Calls", reverse("reviews:calls"))]})


@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the information about a call for organizers and reviewers, with their own role in it."""
    call = call_for(request, slug)
    context = call_context(request, call, "call")
    designs_of_chair = own_designs(request.user) if context["is_chair"] else []
    reviewer = reviewer_in(request.user, call) if context["is_reviewer"] else None
    return render(
        request,
        "reviews/call.html",
        {
            **context,
            "funnel": queries.funnels_of([call], without=designs_of_chair)[0] if context["is_chair"] else None,
            "reviewer": reviewer,
            "reviewing": queries.reviewing_of(request.user, call) if reviewer is not None else [],
            "filings": queries.own_filings(request.user, call),
            "chairs": [chair.user for chair in call.chairs.select_related("user")],
            "now": timezone.now(),
        },
    )


@login_required
def change(request: SignedInRequest, slug: str) -> HttpResponse:
    """Change the settings of a call."""
    call = call_for(request, slug, "chair_call")
    form = CallForm(request.POST or None, instance=Call.objects.get(pk=call.pk))
    if request.method == "POST" and form.is_valid():
        try:
            services.change_call(actor=request.user, call=call, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "The settings are saved and apply from now on.")
            return redirect("reviews:settings", call.slug)
    return render(request, "reviews/settings.html", {**call_context(request, call, "settings"), "form": form})


@login_required
def questions(request: SignedInRequest, slug: str) -> HttpResponse:
    """The questions of the review form; a new one can be added."""
    call = call_for(request, slug, "chair_call")
    form = QuestionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        services.add_question(actor=request.user, call=call, **form.cleaned_data)
        messages.success(request, "The question is added.")
        return redirect("reviews:questions", call.slug)
    asked = list(call.questions.filter(retired_at=None).annotate(number=Count("answers")))
    if request.GET.get("format") == "csv":
        heads = ["section", "question", "answered_by", "asked_of", "needed", "answers"]
        rows = ((one.section, one.text, one.kind, one.audience, one.is_required, one.number) for one in asked)
        return csv_file(f"{call.slug}-questions.csv", heads, rows)
    groups = [(section, [entry for entry in asked if entry.section == section.key]) for section in SECTIONS]
    return render(
        request, "reviews/questions.html", {**call_context(request, call, "questions"), "groups": groups, "form": form}
    )


@login_required
def question(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Change a question, or ask it no longer."""
    call = call_for(request, slug, "chair_call")
    entry = get_object_or_404(Question, call=call, pk=pk, retired_at=None)
    if request.method == "POST" and request.POST.get("act") == "retire":
        services.retire_question(actor=request.user, question=entry)
        messages.success(request, "The question is asked no longer; answers given to it stay.")
        return redirect("reviews:questions", call.slug)
    form = QuestionForm(request.POST or None, instance=entry)
    if request.method == "POST" and form.is_valid():
        stored = Question.objects.get(pk=entry.pk)
        services.change_question(actor=request.user, question=stored, **form.cleaned_data)
        messages.success(request, "The question is changed.")
        return redirect("reviews:questions", call.slug)
    return render(
        request,
        "reviews/question.html",
        {**call_context(request, call, "questions"), "form": form, "answered": entry.answers.exists()},
    )


@login_required
@require_safe
def mails(request: HttpRequest, slug: str) -> HttpResponse:
    """The mails of a call."""
    call = call_for(request, slug, "chair_call")
    if request.GET.get("format") == "csv":
        lines = (
            (row["kind"], row["label"], row["subject"], "own" if row["is_own"] else "standard")
            for row in _mail_rows(call)
        )
        return csv_file(f"{call.slug}-mails.csv", ["kind", "mail", "subject", "text"], lines)
    return _mails(request, call, MessageForm())


def _mails(request: HttpRequest, call: Call, form: MessageForm) -> HttpResponse:
    context = {"rows": _mail_rows(call), "form": form, "in_form": form.initial}
    return render(request, "reviews/mails.html", {**call_context(request, call, "mails"), **context})


def _mail_rows(call: Call) -> list[dict[str, Any]]:
    changed_texts = {text.kind: text for text in call.mail_texts.all()}
    return [
        {"kind": kind, "label": default_mail.label, "subject": changed_texts[kind].subject if kind in changed_texts else default_mail.subject,
         "is_own": kind in changed_texts}
        for kind, default_mail in MAILS.items()
    ]  # fmt: skip


@login_required
def mail(request: SignedInRequest, slug: str, kind: str) -> HttpResponse:
    """One mail text."""
    call = call_for(request, slug, "chair_call")
    if kind not in MAILS:
        raise Http404("Mail not found.")
    if request.method == "POST" and request.POST.get("act") == "restore":
        services.restore_mail_text(actor=request.user, call=call, kind=kind)
        messages.success(request, "The delivered text is used again.")
        return redirect("reviews:mails", call.slug)
    mail_text = MailText.objects.filter(call=call, kind=kind).first()
    initial = {"subject": MAILS[kind].subject, "body": MAILS[kind].body} if mail_text is None else None
    form = MailTextForm(request.POST or None, instance=mail_text, initial=initial, kind=kind)
    if request.method == "POST" and form.is_valid():
        services.save_mail_text(actor=request.user, call=call, kind=kind, **form.cleaned_data)
        messages.success(request, "The text is saved.")
        return redirect("reviews:mails", call.slug)
    return render(
        request,
        "reviews/mail.html",
        {
            **call_context(request, call, "mails"),
            "form": form,
            "label": MAILS[kind].label,
            "is_own": mail_text is not None,
            "example": example_letter(call, kind, chair=request.user.display_name),
        },
    )


@login_required
@require_POST
def message(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show a message to many reviewers or organizers with who gets it; posting it once more sends it."""
    call = call_for(request, slug, "chair_call")
    form = MessageForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Write a subject and a text first.")
        return redirect("reviews:mails", call.slug)
    if "change" in request.POST:
        return _mails(request, call, MessageForm(initial=form.cleaned_data))
    if "confirmed" in request.POST:
        number = write_to(actor=request.user, call=call, **form.cleaned_data)
        messages.success(request, f"The message goes to {_people(number)}.")
        return redirect("reviews:mails", call.slug)
    people = sorted(person.display_name for person in receivers(call, form.cleaned_data["audience"]))
    to = f"{_people(len(people))}: {', '.join(people)}"
    return lettered(
        request,
        call_context(request, call, "mails"),
        heading=f"Message to {_people(len(people))}",
        letters=[ShownLetter(to, form.cleaned_data["subject"], form.cleaned_data["text"])] if people else [],
        none="This message has no recipients.",
        submit="Send the message",
        back=reverse("reviews:mails", args=[call.slug]),
        hidden_fields={name: [form.cleaned_data[name]] for name in ("audience", "subject", "text")},
        can_change=True,
        note="Each recipient gets a separate message without other names or addresses.",
    )


def _people(number: int) -> str:
    return f"{number} {'person' if number == 1 else 'people'}"
