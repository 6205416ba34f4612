"""Access to the pages of a call, and their shared template context."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse

from reviews import hooks, rules
from reviews.models import Assignment, Call, Filing, Reviewer


def call_for(request: HttpRequest, slug: str, permission: str = "view_call") -> Call:
    """The call, if the person may do this.

    Raises
    ------
    Http404
        When they may not even see it.
    PermissionDenied
        When they may see it only.
    """
    call = Call.objects.filter(slug=slug).first()
    if call is None or not request.user.has_perm("reviews.view_call", call):
        raise Http404("There is no such call.")
    if not request.user.has_perm(f"reviews.{permission}", call):
        raise PermissionDenied("This page is for the chairs of the call.")
    return call


def reviewed_call_for(request: HttpRequest, slug: str) -> Call:
    """The call, if the person reviews for it: by the rule, since administrators have every permission but no part.

    Raises
    ------
    PermissionDenied
        When they do not.
    """
    call = call_for(request, slug)
    if not rules.is_reviewer(request.user, call):
        raise PermissionDenied("This page is for the reviewers of the call.")
    return call


def filing_for(request: HttpRequest, slug: str, number: int, *allowed: Any) -> Filing:
    """Return the filing if any of the predicates permits the request.

    Raises
    ------
    Http404
        For people without a role in the filing, so its number reveals nothing.
    PermissionDenied
        For a role that does not include this page.
    """
    filing = Filing.objects.select_related("call", "design").filter(call__slug=slug, number=number).first()
    user = request.user
    if filing is None or not any(part(user, filing) for part in (rules.organizes, rules.chairs, rules.reviews)):
        raise Http404("There is no such filing.")
    if allowed and not any(predicate(user, filing) for predicate in allowed):
        raise PermissionDenied("Your part in this filing does not include this page.")
    return filing


def review_for(request: HttpRequest, slug: str, number: int) -> Assignment:
    """Return the person's assignment to a filing.

    Other people do not learn that the page exists.

    Raises
    ------
    Http404
        Without an assignment.
    """
    filing = filing_for(request, slug, number)
    assignment = rules.assignment_of(request.user, filing) if rules.reviews(request.user, filing) else None
    if assignment is None:
        raise Http404("There is no such review.")
    assignment.filing = filing
    return assignment


def own_designs(user: Any) -> list[int]:
    """Designs that the person has a part in; a chair sees nothing of their review."""
    return list(user.design_roles.values_list("design_id", flat=True))


def reviewer_in(user: Any, call: Call) -> Reviewer | None:
    """The person as a reviewer of the call."""
    return call.reviewers.filter(user=user, left_at=None).select_related("user", "call").first()


def call_context(request: HttpRequest, call: Call, current: str) -> dict[str, Any]:
    """Return the context of `reviews/base.html`: tabs and permissions of the person."""
    chairs = request.user.has_perm("reviews.chair_call", call)
    reviews = rules.is_reviewer(request.user, call)
    tabs = [
        ("Call", "reviews:call", chairs or reviews),
        ("Bids", "reviews:bids", reviews and call.bidding_until is not None),
        ("Designs and reviews", "reviews:matrix", chairs),
        ("Assignment", "reviews:assignments", chairs),
        ("Reviewers", "reviews:people", chairs),
        ("Questions", "reviews:questions", chairs),
        ("Mails", "reviews:mails", chairs),
        ("Settings", "reviews:settings", chairs),
        *((label, name, chairs) for label, name in hooks.chair_tabs),
    ]
    return {
        "call": call,
        "tabs": [
            {"label": label, "url": reverse(name, args=[call.slug]), "current": name in (current, f"reviews:{current}")}
            for label, name, visible in tabs
            if visible
        ],
        "trail": [("Calls", reverse("reviews:calls"))],
        "is_chair": chairs,
        "is_reviewer": reviews,
    }


def filing_context(request: HttpRequest, filing: Filing, current: str) -> dict[str, Any]:
    """Return the context shared by the pages of a filing.

    The title appears only as the reader can see it.
    """
    from reviews.services.mails import title_for_reviewers

    user = request.user
    reviews, chairs = rules.reviews(user, filing), rules.chairs(user, filing)
    title = title_for_reviewers(filing) if reviews and not chairs else filing.title
    tabs = [
        ("Filing", "filing", chairs or not reviews),
        ("Review", "review", reviews),
        ("Points", "points", chairs or not reviews),
        ("What changed", "changes", True),
    ]
    return {
        "call": filing.call,
        "filing": filing,
        "title": title,
        "tabs": [
            {
                "label": label,
                "url": reverse(f"reviews:{name}", args=[filing.call.slug, filing.number]),
                "current": name == current,
            }
            for label, name, visible in tabs
            if visible
        ],
        "trail": [("Calls", reverse("reviews:calls")), (filing.call.title, filing.call.get_absolute_url())],
        "chairs": chairs,
        "organizes": rules.organizes(user, filing),
        "owns": rules.owns(user, filing),
        "reviews": reviews,
    }
