"""Pages about the access to a closed challenge: of its organizers, and of a person with a link."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import SignedInRequest
from challenges import queries
from challenges.forms.access import AccessRuleForm, LinkForm
from challenges.queries.access import find_link, links_of
from challenges.services import access as services
from challenges.views.access import organizing, page_context


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def access(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show who sees the challenge, and create a link. The page shows the address of the new link once."""
    challenge = organizing(request, slug)
    form = LinkForm(request.POST or None)
    new_link = ""
    if request.method == "POST" and form.is_valid():
        try:
            _, token = services.create_link(actor=request.user, challenge=challenge, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error)
        else:
            new_link = request.build_absolute_uri(reverse("challenges:enter", args=[slug, token]))
            form = LinkForm()
    projection = queries.projection_of(challenge)
    context = page_context(
        request,
        challenge,
        active_tab="challenges:organize",
        links=links_of(challenge),
        access_rules=challenge.access_rules.all(),
        link_form=form,
        rule_form=AccessRuleForm(),
        new_link=new_link,
        projection=projection,
        is_embargoed=projection is not None and projection.registration.is_embargoed,
    )
    return render(request, "challenges/access.html", context)


@login_required
@require_POST
def audience(request: SignedInRequest, slug: str) -> HttpResponse:
    """Close a challenge that is not public yet, or open a closed one to everyone."""
    challenge = organizing(request, slug)
    act = services.open_to_public if request.POST.get("audience") == "public" else services.close_to_public
    try:
        changed = act(actor=request.user, challenge=challenge)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        closed = "The challenge is closed: members and invited people see it."
        opened = "The challenge is open to everyone."
        messages.success(request, closed if changed.is_closed else opened)
    return redirect("challenges:access", slug=slug)


@login_required
@require_POST
def withdraw_link(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Withdraw a link."""
    challenge = organizing(request, slug)
    services.withdraw_link(actor=request.user, link=get_object_or_404(challenge.access_links, pk=pk))
    messages.success(request, "The link is withdrawn. People who entered by it and have no team lost access.")
    return redirect("challenges:access", slug=slug)


@login_required
@require_POST
def add_rule(request: SignedInRequest, slug: str) -> HttpResponse:
    """Admit people from a domain or an institution."""
    challenge = organizing(request, slug)
    form = AccessRuleForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("challenges:access", slug=slug)
    try:
        rule = services.add_rule(actor=request.user, challenge=challenge, **form.cleaned_data)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"People with the {rule.get_kind_display()} {rule.value} see the challenge.")
    return redirect("challenges:access", slug=slug)


@login_required
@require_POST
def remove_rule(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a domain or an institution."""
    challenge = organizing(request, slug)
    services.remove_rule(actor=request.user, rule=get_object_or_404(challenge.access_rules, pk=pk))
    messages.success(request, "Removed. People without a team or a link lost access.")
    return redirect("challenges:access", slug=slug)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter(request: SignedInRequest, slug: str, token: str) -> HttpResponse:
    """Enter a closed challenge by a link. Every link that is not valid gets the same answer."""
    link = find_link(slug, token)
    if link is None:
        raise Http404("This link is not valid. It may have expired. Ask the person who gave it to you for a new one.")
    if request.user.has_perm("challenges.view_challenge", link.challenge):
        return redirect(link.challenge)
    if request.method == "POST" and (challenge := services.enter(user=request.user, slug=slug, token=token)):
        messages.success(request, f"You can see {challenge.title} now. To submit, join the challenge.")
        return redirect(challenge)
    return render(request, "challenges/enter.html", {"challenge": link.challenge})
