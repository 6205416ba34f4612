"""Acts in the browser: register, comment, answer, end, open."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from rules import test_rule

from accounts.conversations import services as conversations
from accounts.conversations.queries import threads_about
from accounts.requests import SignedInRequest
from designs.queries import visible_design
from evaluation.designs.catalogue import shipped
from registry import queries, services
from registry.domain.public_documents import exported, publication
from registry.forms import CommentForm, EndForm, ReasonForm, RegisterForm
from registry.models import Registration
from registry.views.context import record_context


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: SignedInRequest, design: str) -> HttpResponse:
    """Look at what will be public, then register."""
    design_to_register = visible_design(request.user, design)
    if not request.user.has_perm("registry.register_design", design_to_register):
        raise PermissionDenied("A design is registered by its owner or by a chair, once a call has accepted it.")
    if registration := queries.registration_of(design_to_register):
        return redirect(registration)
    form = RegisterForm(request.POST or None)
    state = services.readiness(design_to_register)
    if request.method == "POST" and form.is_valid():
        try:
            version = services.register_design(
                design=design_to_register,
                actor=request.user,
                comment_until=form.comment_until(),
                is_embargoed=form.cleaned_data["is_embargoed"],
            )
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, f"Registered as {version.registration.identifier}.")
            return redirect(version.registration)
    return render(
        request,
        "registry/register.html",
        {
            "design": design_to_register,
            "state": state,
            "form": form,
            "left_out": publication(exported(state.document), {}).left_out,
            "may_go_on": state.is_ready or state.filing is None,
            "trail": [
                ("Designs", reverse("designs:list")),
                (design_to_register.title, design_to_register.get_absolute_url()),
            ],
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
def comments(request: HttpRequest, identifier: str) -> HttpResponse:
    """Show the comments, and accept new ones during the comment period."""
    registration = queries.registration_or_404(identifier, request.user)
    may_comment = test_rule("registry.comment", request.user, registration)
    parameters = [
        (parameter.id, parameter.label)
        for parameter in shipped().parameters.values()
        if parameter.visibility == "public"
    ]
    form = CommentForm(request.POST or None, parameters=parameters)
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect(f"{reverse('account_login')}?next={request.path}")
        if not may_comment:
            raise PermissionDenied("The comment period is over.")
        if form.is_valid():
            try:
                conversations.start_thread(
                    actor=request.user,
                    target=registration,
                    text=form.cleaned_data["text"],
                    topic=form.cleaned_data["parameter"],
                    part=queries.current_version(registration).number,
                )
            except ValidationError as error:
                form.add_error(None, " ".join(error.messages))
            else:
                messages.success(request, "Your comment is public now.")
                return redirect("registry:comments", registration.identifier)
    return render(
        request,
        "registry/comments.html",
        {
            **record_context(request, registration, "registry:comments"),
            "comments": queries.comments_of(registration, reader=request.user),
            "form": form if may_comment else None,
            "takes_comments": queries.takes_comments(registration),
        },
    )


@login_required
@require_POST
def answer(request: SignedInRequest, identifier: str, pk: int) -> HttpResponse:
    """Answer a comment for the organizers."""
    registration = _allowed(request, identifier, "registry.answer_comment", "The organizers answer comments.")
    thread = get_object_or_404(threads_about(registration, reader=request.user), pk=pk)
    form = ReasonForm(request.POST)
    if form.is_valid():
        conversations.answer(actor=request.user, thread=thread, text=form.cleaned_data["text"])
        messages.success(request, "The answer is public now.")
    else:
        messages.error(request, "Write the answer first.")
    return redirect("registry:comments", registration.identifier)


@login_required
@require_POST
def hide(request: SignedInRequest, identifier: str, pk: int) -> HttpResponse:
    """Take a comment out of sight."""
    registration = _allowed(request, identifier, "registry.moderate_comments", "The chairs moderate comments.")
    thread = get_object_or_404(threads_about(registration, reader=request.user), pk=pk)
    form = ReasonForm(request.POST)
    if form.is_valid():
        comment = thread.posts.earliest("pk")
        conversations.hide_post(actor=request.user, post=comment, reason=form.cleaned_data["text"])
        messages.success(request, "The comment is hidden; its place and the reason stay.")
    else:
        messages.error(request, "Say why: the reason is public.")
    return redirect("registry:comments", registration.identifier)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def end(request: SignedInRequest, identifier: str) -> HttpResponse:
    """Withdraw or abandon; the record stays."""
    registration = _allowed(
        request, identifier, "registry.end_registration", "The owner of the design or a chair of the call does this."
    )
    if registration.is_ended:
        return redirect(registration)
    form = EndForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.end_registration(registration=registration, actor=request.user, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "The record says so now; it stays in the registry.")
            return redirect(registration)
    return render(
        request, "registry/end.html", {**record_context(request, registration, "registry:detail"), "form": form}
    )


@login_required
@require_POST
def open_embargo(request: SignedInRequest, identifier: str) -> HttpResponse:
    """Confirm that the event of a withheld value has happened, and publish the value."""
    registration = _allowed(
        request, identifier, "registry.open_embargo", "The owner of the design or a chair of the call does this."
    )
    try:
        services.open_value(
            version=queries.current_version(registration), field_path=request.POST.get("place", ""), actor=request.user
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, "The value is public now, with the proof that it was decided before.")
    return redirect(registration)


@login_required
@require_POST
def end_embargo(request: SignedInRequest, identifier: str) -> HttpResponse:
    """Publish a registration that is under embargo."""
    registration = _allowed(request, identifier, "registry.end_whole_embargo", "The owner of the design does this.")
    registration = services.end_embargo(registration=registration, actor=request.user)
    messages.success(request, "The embargo has ended. The complete design is public.")
    return redirect(registration)


def _allowed(request: HttpRequest, identifier: str, permission: str, refusal: str) -> Registration:
    registration = queries.registration_or_404(identifier, request.user)
    if not request.user.has_perm(permission, registration):
        raise PermissionDenied(refusal)
    return registration
