"""Permissions in calls: predicates, declared once, used by views, API and templates."""

from typing import Any

import rules

from designs.models import Collaborator, Design, Role
from reviews.models import RUNNING, Anonymity, Assignment, Call, Chair, Filing, Reviewer

CHAIRS = "chairs"


def _once(user: Any, kind: str, key: int, find: Any) -> Any:
    """Ask the database once a request for each fact; a user object lives as long as the request."""
    facts = user.__dict__.setdefault("_parts_in_calls", {})
    if (kind, key) not in facts:
        facts[kind, key] = find()
    return facts[kind, key]


def forget(user: Any) -> None:
    """Ask again, after an act that changed a person's part."""
    user.__dict__.pop("_parts_in_calls", None)


def role_in(user: Any, filing: Filing) -> str:
    """The person's role in the design of a filing, empty without one."""
    if not user.is_authenticated:
        return ""
    return _once(
        user,
        "role",
        filing.design_id,
        lambda: (
            Collaborator.objects.filter(design=filing.design_id, user=user).values_list("role", flat=True).first() or ""
        ),
    )


def assignment_of(user: Any, filing: Filing) -> Assignment | None:
    """The person's present assignment to a filing."""
    if not user.is_authenticated:
        return None
    return _once(
        user,
        "assignment",
        filing.pk,
        lambda: (
            Assignment.objects.filter(filing=filing, reviewer__user=user, removed_at=None)
            .select_related("reviewer")
            .first()
        ),
    )


@rules.predicate
def may_found_calls(user: Any) -> bool:
    """Belongs to the group of chairs, or administers the platform."""
    if not user.is_authenticated:
        return False
    return user.is_superuser or _once(user, "group", 0, lambda: user.groups.filter(name=CHAIRS).exists())


@rules.predicate
def is_chair(user: Any, call: Call | None) -> bool:
    """Runs the call, or administers the platform."""
    if call is None or not user.is_authenticated:
        return False
    return user.is_superuser or _once(
        user, "chair", call.pk, lambda: Chair.objects.filter(call=call, user=user).exists()
    )


@rules.predicate
def is_reviewer(user: Any, call: Call | None) -> bool:
    """Reviews for the call."""
    if call is None or not user.is_authenticated:
        return False
    return _once(
        user, "reviewer", call.pk, lambda: Reviewer.objects.filter(call=call, user=user, left_at=None).exists()
    )


@rules.predicate
def is_published(user: Any, call: Call | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Return whether the call is public."""
    return call is not None and call.is_public


@rules.predicate
def organizes(user: Any, filing: Filing | None) -> bool:
    """Works on the filed design."""
    return filing is not None and bool(role_in(user, filing))


@rules.predicate
def owns(user: Any, filing: Filing | None) -> bool:
    """Decides for the organizers."""
    return filing is not None and role_in(user, filing) == Role.OWNER


@rules.predicate
def chairs(user: Any, filing: Filing | None) -> bool:
    """Runs the call and has no part in this design: a chair never decides about an own design."""
    return filing is not None and is_chair(user, filing.call) and not role_in(user, filing)


@rules.predicate
def reviews(user: Any, filing: Filing | None) -> bool:
    """Is assigned to the filing."""
    return filing is not None and not role_in(user, filing) and assignment_of(user, filing) is not None


rules.add_perm("reviews.found_call", may_found_calls)
rules.add_perm("reviews.view_call", is_published | is_chair | is_reviewer)
rules.add_perm("reviews.chair_call", is_chair)
rules.add_perm("reviews.view_filing", organizes | chairs)
rules.add_perm("reviews.chair_filing", chairs)

# Rules and not permissions: Django grants every permission to administrators, who must not act for organizers or
# reviewers, nor decide about designs of their own.
rules.add_rule("reviews.review_for_call", is_reviewer)
rules.add_rule("reviews.represent_filing", owns)
rules.add_rule("reviews.organize_filing", organizes)
rules.add_rule("reviews.decide_filing", chairs)
rules.add_rule("reviews.review_filing", reviews)


def reads_design(user: Any, design: Design) -> bool:
    """Return whether a user can read a design because of a call; used for `designs.hooks.readers`.

    Chairs can read designs filed in their calls. Reviewers can read them in open calls, where the names are known
    to both sides.

    In single- and double-blind calls, reviewers read the filed version only on the pages of the review. On the
    design's own pages, their comments would reveal their identity to the organizers. Names, histories and
    versions would reveal the organizers to the reviewers.
    """
    if not user.is_authenticated:
        return False
    return _once(user, "reads", design.pk, lambda: _reads(user, design))


def _reads(user: Any, design: Design) -> bool:
    if Chair.objects.filter(user=user, call__filings__design=design).exists():
        return True
    return Assignment.objects.filter(
        reviewer__user=user,
        removed_at=None,
        filing__design=design,
        filing__call__anonymity=Anonymity.OPEN,
        filing__state__in=RUNNING,
    ).exists()
