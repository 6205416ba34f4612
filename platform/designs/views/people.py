"""Collaborators, invitations, conversations."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.conversations import services as conversations
from accounts.conversations.queries import threads_about
from accounts.people.models import Invitation
from accounts.people.services import invitations
from accounts.people.tables import invitation_rows, letter_message
from accounts.requests import SignedInRequest
from designs import services
from designs.contributions.invitations import DESIGN_INVITATIONS
from designs.forms import CommentForm, InvitationForm
from designs.models import Collaborator, Design
from designs.queries.team import members_without_access
from designs.views.access import design_context, design_for, signed_in, task_of
from web.spreadsheets import csv_file


@login_required
@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    design = design_for(request, slug, "collaborate_on_design")
    if request.GET.get("format") == "csv":
        parts = design.collaborators.select_related("user")
        rows = ((part.user.username, part.user.display_name, part.role, part.joined_at) for part in parts)
        return csv_file(f"{design.slug}-people.csv", ["user", "name", "role", "since"], rows)
    return _people(request, design, InvitationForm())


@login_required
@require_POST
def invite(request: SignedInRequest, slug: str) -> HttpResponse:
    design = design_for(request, slug, "manage_design")
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            invitation = invitations.invite(actor=request.user, target=design, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error if not hasattr(error, "error_dict") else error.messages)
        else:
            messages.add_message(request, *letter_message(invitation))
            return redirect("designs:people", design.slug)
    return _people(request, design, form)


@login_required
@require_POST
def withdraw(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    design = design_for(request, slug, "manage_design")
    invitation = get_object_or_404(design.invitations, pk=pk)
    invitations.withdraw(actor=request.user, invitation=invitation)
    messages.success(request, "The invitation is withdrawn.")
    return redirect("designs:people", design.slug)


@login_required
@require_POST
def change(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Give a person another role, or end their part."""
    design = design_for(request, slug)
    part = get_object_or_404(Collaborator.objects.select_related("user"), pk=pk, design=design)
    leaves = request.POST.get("role") == "remove"
    # Everybody may leave; all else is for owners.
    if not (leaves and part.user_id == request.user.pk):
        design_for(request, slug, "manage_design")
    try:
        if leaves:
            services.remove_collaborator(actor=request.user, collaborator=part)
        else:
            services.change_role(actor=request.user, collaborator=part, role=request.POST.get("role", ""))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The list of people is changed.")
    if leaves and part.user_id == request.user.pk:
        return redirect("designs:list")
    return redirect("designs:people", design.slug)


@login_required
def accept(request: SignedInRequest, token: str) -> HttpResponse:
    """Accept an invitation after confirmation, because a link alone must not change anything."""
    if request.method == "POST":
        try:
            part = invitations.accept(user=request.user, token=token, into=Design)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
            return redirect("designs:list")
        messages.success(request, f"You are {part.get_role_display()} of this design.")
        return redirect(part.design)
    return render(request, "designs/accept.html", {"trail": [("Designs", reverse("designs:list"))]})


@signed_in
def comments(request: SignedInRequest, slug: str, parameter: str, task: str | None = None) -> HttpResponse:
    """The conversations about a parameter; a new one is started by posting."""
    design = design_for(request, slug, "comment_on_design")
    design_task = task_of(design, task)
    if request.method == "POST":
        form = CommentForm(request.POST)
        if form.is_valid():
            try:
                conversations.start_thread(
                    actor=request.user,
                    target=design,
                    topic=parameter,
                    part=design_task.key if design_task else "",
                    text=form.cleaned_data["text"],
                )
            except ValidationError as error:
                form.add_error(None, error)
    return _threads(request, design, parameter, task)


@signed_in
@require_POST
def reply(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Answer in a conversation, resolve it, or take it up again."""
    design = design_for(request, slug, "comment_on_design")
    thread = get_object_or_404(threads_about(design, reader=request.user), pk=pk)
    match request.POST.get("act"):
        case "resolve" | "reopen" as act:
            conversations.close_thread(actor=request.user, thread=thread, closed=act == "resolve")
        case _:
            form = CommentForm(request.POST)
            if form.is_valid():
                conversations.reply(actor=request.user, thread=thread, text=form.cleaned_data["text"])
    return _threads(request, design, thread.topic, thread.part or None)


def _threads(request: HttpRequest, design: Design, parameter: str, task: str | None) -> HttpResponse:
    threads = threads_about(design, reader=request.user).filter(topic=parameter, part=task or "")
    return render(
        request,
        "designs/parts/comments.html",
        {
            "design": design,
            "parameter": parameter,
            "task": task or "",
            "key": f"{parameter}-{task}" if task else parameter,
            "threads": threads.prefetch_related("posts__author"),
        },
    )


def _people(request: HttpRequest, design: Design, form: InvitationForm) -> HttpResponse:
    context = design_context(request, design, "people")
    return render(
        request,
        "designs/people.html",
        {
            **context,
            "people": design.collaborators.select_related("user"),
            "invitations": invitation_rows(
                DESIGN_INVITATIONS,
                design.invitations.exclude(state=Invitation.State.ACCEPTED),
                withdraw_path=(lambda entry: reverse("designs:withdraw", args=[design.slug, entry.pk]))
                if context["may_manage"]
                else None,
            ),
            "roles": Collaborator.Role.choices,
            "listed": members_without_access(design) if context["may_manage"] else [],
            "form": form,
        },
    )
