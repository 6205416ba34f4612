"""HTTP in, HTTP out."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.notifications import queries, services
from accounts.notifications.forms import PAUSE, PreferencesForm
from accounts.notifications.kinds import KINDS
from accounts.notifications.services import composing
from web.examples import is_at_home

ON_A_PAGE = 30
MAILS_SHOWN = 50


@login_required
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    only_unread = request.GET.get("show") == "unread"
    rows = queries.inbox(request.user)
    page = Paginator(rows.filter(read_at=None) if only_unread else rows, ON_A_PAGE).get_page(request.GET.get("page"))
    names = queries.place_names(request.user, page)
    for row in page:
        row.place = names.get(row.pk, "")  # type: ignore[attr-defined]  # for the template
        row.title = KINDS.title(row.kind)  # type: ignore[attr-defined]  # for the template
    unread = queries.unread_count(request.user)
    address = reverse("notifications:inbox")
    links = [
        {"label": "All", "url": address, "current": not only_unread},
        {"label": "Unread", "url": f"{address}?show=unread", "current": only_unread, "count": unread},
    ]
    return render(
        request,
        "notifications/inbox.html",
        {"page": page, "only_unread": only_unread, "unread": unread, "links": links},
    )


@require_safe
def sent_mails(request: HttpRequest) -> HttpResponse:
    """Show the newest mails of an example installation, whose addresses have no readers.

    Other installations do not have this page.
    """
    if not settings.PODIUM_EXAMPLE_MODE:
        raise Http404
    rows = queries.newest_mails(MAILS_SHOWN, with_letters=is_at_home(request))
    for row in rows:
        row.title = KINDS.title(row.kind)  # type: ignore[attr-defined]  # for the template
    return render(request, "notifications/mails.html", {"mails": rows})


@login_required
@require_safe
def follow(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Go where a message leads; it is read then."""
    row = get_object_or_404(queries.inbox(request.user), pk=pk)
    services.mark_read(user=request.user, ids=[row.pk])
    return redirect(row.address or "notifications:inbox")


@login_required
@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    services.mark_read(user=request.user)
    return redirect("notifications:inbox")


@login_required
def preferences(request: HttpRequest) -> HttpResponse:
    form = PreferencesForm(
        request.POST or None,
        kinds=queries.preferences_of(request.user),
        places=queries.mutable_places(request.user),
        is_paused=queries.is_paused(request.user),
    )
    if request.method == "POST" and form.is_valid():
        services.choose(user=request.user, choices={kind.name: form.cleaned_data[kind.name] for kind in form.kinds})
        for key, entry in form.places.items():
            services.mute(user=request.user, path=entry.path, scope=entry.scope, muted=form.cleaned_data[key])
        services.mute(user=request.user, muted=form.cleaned_data[PAUSE])
        messages.success(request, "Your choices are saved.")
        return redirect("notifications:preferences")
    context = {"form": form, "groups": form.groups(queries.held_roles(request.user)), "hour": queries.DIGEST_HOUR}
    return render(request, "notifications/preferences.html", context)


# A mail program asks by POST without a session (RFC 8058); the signed token is the proof.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """End messages of one kind: by one click in the mail program, or by the button of this page."""
    content = composing.read_unsubscribe_token(token)
    if content is None:
        raise Http404("This link is incomplete. Copy it whole from the message.")
    done = request.method == "POST"
    if done:
        services.unsubscribe(kind=content["k"], user_id=content.get("u"), address=content.get("a", ""))
    title = "messages that come in the daily mail" if content["k"] == services.DIGEST else KINDS.title(content["k"])
    return render(
        request, "notifications/unsubscribe.html", {"title": title, "done": done, "account": bool(content.get("u"))}
    )
