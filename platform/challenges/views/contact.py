"""Private messages between people and the organizers of a challenge."""

import rules
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.conversations import queries as reads
from accounts.conversations import services as conversations
from accounts.requests import SignedInRequest
from challenges import queries
from challenges.forms.participation import ContactForm, ContactReplyForm
from challenges.models import Challenge, Contact, Organizer
from challenges.queries import contacts
from challenges.services import talking as services
from challenges.views.pages import challenge_context

ON_A_PAGE = 30


@login_required
@never_cache
def new(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form for a message to the organizers, and the person's earlier messages."""
    challenge = queries.visible_challenge(request.user, slug)
    if rules.test_rule("challenges.answer_contacts", request.user, challenge):
        return redirect("challenges:contacts", slug)
    if not rules.test_rule("challenges.contact_organizers", request.user, challenge):
        raise PermissionDenied("This challenge does not accept messages yet.")
    form = ContactForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            contact = services.contact_organizers(actor=request.user, challenge=challenge, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "Message sent. You will be notified of the reply.")
            return redirect("challenges:contact_thread", slug, contact.pk)
    context = {"form": form, "contacts": contacts.own_contacts(request.user, challenge)[:ON_A_PAGE]}
    return render(request, "challenges/talking/contact.html", {**challenge_context(request, challenge), **context})


@login_required
@never_cache
def conversation(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """One private conversation, and the form for a reply."""
    challenge, contact = _contact(request, slug, pk)
    thread = contacts.thread_of(contact)
    organizes = rules.test_rule("challenges.answer_contacts", request.user, challenge)
    form = ContactReplyForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            post = conversations.reply(actor=request.user, thread=thread, text=form.cleaned_data["text"])
        except ValidationError as error:
            form.add_error(None, error)
        else:
            return redirect(f"{reverse('challenges:contact_thread', args=[slug, pk])}#post-{post.pk}")
    return render(
        request,
        "challenges/talking/contact_thread.html",
        {
            **challenge_context(request, challenge),
            "active_tab": "challenges:organize" if organizes else "",
            "contact": contact,
            "thread": thread,
            "posts": reads.posts_of(thread),
            "helpers": set(Organizer.objects.filter(challenge=challenge).values_list("user_id", flat=True)),
            "form": form,
            "may_close": organizes,
        },
    )


@login_required
@require_POST
def close(request: SignedInRequest, slug: str, pk: int, act: str) -> HttpResponse:
    """Close a conversation, or open it again."""
    _, contact = _contact(request, slug, pk)
    if act not in ("close", "open"):
        raise Http404("Page not found.")
    conversations.close_thread(actor=request.user, thread=contacts.thread_of(contact), closed=act == "close")
    return redirect("challenges:contact_thread", slug, pk)


@login_required
@never_cache
@require_safe
def inbox(request: SignedInRequest, slug: str) -> HttpResponse:
    """All private messages to the organizers of a challenge."""
    challenge = queries.visible_challenge(request.user, slug)
    if not rules.test_rule("challenges.answer_contacts", request.user, challenge):
        raise Http404("Page not found.")
    page = Paginator(contacts.contacts_of(challenge), ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "active_tab": "challenges:organize"}
    return render(request, "challenges/talking/contacts.html", {**challenge_context(request, challenge), **context})


def _contact(request: SignedInRequest, slug: str, pk: int) -> tuple[Challenge, Contact]:
    """Return a conversation that the person takes part in.

    Raises
    ------
    Http404
        Also for conversations of others: their existence is not revealed.
    """
    # A sender reads the conversation even if the challenge is no longer public.
    contact = get_object_or_404(Contact.objects.select_related("challenge", "sender"), pk=pk, challenge__slug=slug)
    if not rules.test_rule("challenges.read_contact", request.user, contact):
        raise Http404("Page not found.")
    return contact.challenge, contact
