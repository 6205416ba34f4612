"""Access to the pages of a design, and the content that all of them show."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse

from designs.models import Design, DesignTask
from designs.queries import document_of, visible_design
from evaluation.designs.document import Document

View = Callable[..., HttpResponse]


def signed_in(view: View) -> View:
    """Refuse with 401 instead of sending a script to the sign-in page: the form then keeps what was typed."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return HttpResponse("Sign in again, in another tab if you like: nothing is lost.", status=401)
        return view(request, *args, **kwargs)

    return guarded


def design_for(request: HttpRequest, slug: str, permission: str = "view_design") -> Design:
    """The design, if the person may do this.

    Raises
    ------
    Http404
        When they may not even see it.
    PermissionDenied
        When they may see it only.
    """
    design = visible_design(request.user, slug)
    if not request.user.has_perm(f"designs.{permission}", design):
        words = {
            "edit_design": "Only owners and editors of a design change it.",
            "manage_design": "Only owners of a design do this.",
            "collaborate_on_design": "This page is for the people who write the design.",
        }
        raise PermissionDenied(words.get(permission, "You may not do this."))
    return design


def task_of(design: Design, key: str | None) -> DesignTask | None:
    """The task with that key; ``None`` for the challenge itself.

    Raises
    ------
    Http404
        When there is none.
    """
    if not key:
        return None
    task = design.tasks.filter(key=key, removed_at=None).first()
    if task is None:
        raise Http404("There is no such task.")
    return task


def design_context(request: HttpRequest, design: Design, current: str) -> dict[str, Any]:
    """Return the context of `designs/base.html`: tabs, and the permissions of the person."""
    collaborates = request.user.has_perm("designs.collaborate_on_design", design)
    tabs = [
        ("Form", "designs:detail", True),
        ("Advice", "designs:advice", True),
        ("Checks", "designs:checks", True),
        ("How the winner is determined", "designs:assessment", True),
        ("Rehearsal", "designs:rehearsal", is_insider(request, design)),
        ("Versions", "designs:versions", True),
        ("People", "designs:people", collaborates),
    ]
    return {
        "design": design,
        "tabs": [
            {"label": label, "url": reverse(name, args=[design.slug]), "current": name == f"designs:{current}"}
            for label, name, visible in tabs
            if visible
        ],
        "trail": [("Designs", reverse("designs:list"))],
        "may_edit": request.user.has_perm("designs.edit_design", design),
        "may_manage": request.user.has_perm("designs.manage_design", design),
        "may_comment": request.user.has_perm("designs.comment_on_design", design),
        "collaborates": collaborates,
    }


def is_insider(request: HttpRequest, design: Design) -> bool:
    """Return whether the person writes or reviews the design, and can see personal and withheld values."""
    return bool(request.user.has_perm("designs.comment_on_design", design))


def shown_document(request: HttpRequest, design: Design) -> Document:
    """The document as this person may see it."""
    document = document_of(design)
    return document if is_insider(request, design) else document.without_secrets()
