"""News and discussion of a challenge."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.conversations import queries as reads
from accounts.conversations import services as conversations
from accounts.conversations.models import Post, Thread
from accounts.requests import SignedInRequest
from challenges import queries
from challenges.contributions.conversations import CHALLENGE_DISCUSSION
from challenges.forms.participation import AnnouncementForm, PostForm, ThreadForm
from challenges.models import Organizer
from challenges.services import talking as services
from challenges.views.pages import challenge_context

ON_A_PAGE = 30


@require_safe
def news(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = queries.visible_challenge(request.user, slug)
    page = Paginator(challenge.announcements.select_related("author"), ON_A_PAGE).get_page(request.GET.get("page"))
    may_announce = request.user.has_perm("challenges.announce_in_challenge", challenge)
    context = {**challenge_context(request, challenge), "page": page, "may_announce": may_announce}
    return render(request, "challenges/talking/news.html", context)


@login_required
def announce(request: SignedInRequest, slug: str) -> HttpResponse:
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm("challenges.announce_in_challenge", challenge):
        raise PermissionDenied("Only organizers announce something.")
    form = AnnouncementForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        announcement = services.announce(actor=request.user, challenge=challenge, **form.cleaned_data)
        messages.success(request, f"Announced; {announcement.told} people are notified.")
        return redirect("challenges:news", slug=slug)
    return render(request, "challenges/talking/announce.html", {**challenge_context(request, challenge), "form": form})


def discussion(request: SignedInRequest, slug: str) -> HttpResponse:
    """All threads, and the form for a new one."""
    challenge = queries.visible_challenge(request.user, slug)
    may_write = request.user.has_perm("challenges.discuss_challenge", challenge)
    form = ThreadForm(request.POST or None)
    if request.method == "POST":
        if not may_write:
            raise PermissionDenied("Sign in to ask something.")
        if form.is_valid():
            try:
                thread = conversations.start_thread(actor=request.user, target=challenge, **form.cleaned_data)
            except ValidationError as error:
                form.add_error(None, error)
            else:
                return redirect("challenges:thread", slug, thread.pk)
    words = request.GET.get("q", "").strip()[:100]
    page = Paginator(reads.newest_threads(challenge, reader=request.user, words=words), ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "challenges/talking/threads.html",
        {
            **challenge_context(request, challenge),
            "page": page,
            "words": words,
            "form": form,
            "may_write": may_write,
            "follows": reads.follows(request.user, target=challenge),
        },
    )


def thread(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """One thread, and the form for an answer."""
    challenge = queries.visible_challenge(request.user, slug)
    entry = get_object_or_404(reads.threads_about(challenge, reader=request.user), pk=pk)
    may_write = request.user.has_perm("challenges.discuss_challenge", challenge)
    may_moderate = request.user.has_perm("challenges.moderate_challenge", challenge)
    form = PostForm(request.POST or None)
    if request.method == "POST":
        if not may_write:
            raise PermissionDenied("Sign in to answer.")
        if form.is_valid():
            try:
                post = conversations.reply(actor=request.user, thread=entry, text=form.cleaned_data["text"])
            except ValidationError as error:
                form.add_error(None, error)
            else:
                return redirect(f"{reverse('challenges:thread', args=[slug, entry.pk])}#post-{post.pk}")
    return render(
        request,
        "challenges/talking/thread.html",
        {
            **challenge_context(request, challenge),
            "active_tab": "challenges:discussion",
            "thread": entry,
            "posts": reads.posts_of(entry),
            "helpers": set(Organizer.objects.filter(challenge=challenge).values_list("user_id", flat=True)),
            "form": form,
            "may_write": may_write and not entry.is_closed,
            "may_moderate": may_moderate,
            "may_mark": CHALLENGE_DISCUSSION.may_mark(request.user, entry, challenge),
            "follows": reads.follows(request.user, thread=entry),
        },
    )


@login_required
@require_POST
def act_on_thread(request: SignedInRequest, slug: str, pk: int, act: str) -> HttpResponse:
    """Follow, mark an answer, close, hide."""
    challenge = queries.visible_challenge(request.user, slug)
    entry = get_object_or_404(reads.threads_about(challenge, reader=request.user), pk=pk)
    if act in ("follow", "unfollow"):
        (conversations.follow if act == "follow" else conversations.unfollow)(user=request.user, thread=entry)
    elif act in ("answer", "unanswer"):
        if not CHALLENGE_DISCUSSION.may_mark(request.user, entry, challenge):
            raise PermissionDenied("Only who asked, and organizers, mark the answer.")
        conversations.mark_answer(actor=request.user, post=_post(request, entry), is_answer=act == "answer")
    elif act == "hide":
        if not CHALLENGE_DISCUSSION.may_moderate(request.user, challenge):
            raise PermissionDenied("Only organizers do that.")
        conversations.hide_post(actor=request.user, post=_post(request, entry))
    elif act in ("close", "open"):
        conversations.close_thread(actor=request.user, thread=entry, closed=act == "close")
    else:
        raise Http404("There is no such act.")
    return redirect("challenges:thread", slug, pk)


@login_required
@require_POST
def follow_discussion(request: SignedInRequest, slug: str) -> HttpResponse:
    """Follow or unfollow new threads."""
    challenge = queries.visible_challenge(request.user, slug)
    act = conversations.follow if request.POST.get("follow") == "yes" else conversations.unfollow
    act(user=request.user, target=challenge)
    return redirect("challenges:discussion", slug=slug)


def _post(request: HttpRequest, entry: Thread) -> Post:
    number = request.POST.get("post", "")
    if not number.isascii() or not number.isdigit() or len(number) > 18:
        raise Http404("There is no such post.")
    return get_object_or_404(entry.posts.filter(hidden_at=None), pk=number)
