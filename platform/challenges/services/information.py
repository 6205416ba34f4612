"""Acts on pages of organizers (create, change, move, delete) and on pictures of a challenge."""

import hashlib
from collections.abc import Mapping
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from challenges.domain.pictures import picture_header, without_metadata
from challenges.models import Challenge, ChallengePicture, InformationPage
from core.audit.services import record

MOST: Final = 5
"""Largest number of pages of a challenge."""


@transaction.atomic
def create_page(*, actor: User, challenge: Challenge, title: str, text: str, position: int) -> InformationPage:
    """Create a page; its address is made of the title and stays.

    Raises
    ------
    ValidationError
        For too many pages, and a title that another page has.
    """
    # The lock makes two requests at the same moment count each other.
    locked = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    pages = list(locked.information_pages.all())
    if len(pages) >= MOST:
        raise ValidationError(f"A challenge has at most {MOST} pages. Delete one first.")
    slug = slugify(title)[:60] or f"page-{len(pages) + 1}"
    _check_title(pages, title, slug)
    page = InformationPage.objects.create(
        challenge=locked, slug=slug, title=title, text=text, position=position, changed_by=actor
    )
    _note_pages(locked, challenge)
    record(actor=actor, act="page_created", subject=page, scope=challenge.slug, facts={"title": title})
    return page


@transaction.atomic
def change_page(*, actor: User, page: InformationPage, title: str, text: str, position: int) -> None:
    """Change a page; its address stays.

    Raises
    ------
    ValidationError
        For a title that another page has.
    """
    locked = Challenge.objects.select_for_update(no_key=True).get(pk=page.challenge_id)
    _check_title([other for other in locked.information_pages.all() if other.pk != page.pk], title, "")
    page.title, page.text, page.position = title, text, position
    page.changed_by, page.changed_at = actor, timezone.now()
    page.save()
    record(actor=actor, act="page_changed", subject=page, scope=locked.slug, facts={"title": title})


@transaction.atomic
def delete_page(*, actor: User, page: InformationPage) -> None:
    """Delete a page."""
    locked = Challenge.objects.select_for_update(no_key=True).get(pk=page.challenge_id)
    record(actor=actor, act="page_deleted", subject=page, scope=locked.slug, facts={"title": page.title})
    InformationPage.objects.filter(pk=page.pk).delete()
    _note_pages(locked, page.challenge)


@transaction.atomic
def set_pictures(*, actor: User, challenge: Challenge, contents: Mapping[str, bytes | None]) -> None:
    """Store or remove logo and banner; both or neither.

    Parameters
    ----------
    contents
        Files by kind; ``None`` removes the picture of the kind.

    Raises
    ------
    ValidationError
        For a file that is not a picture of an accepted size and format, by kind.
    """
    locked = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    errors = {}
    for kind, content in contents.items():
        try:
            _set_picture(actor, locked, kind, content)
        except ValueError as error:
            errors[kind] = str(error)
    if errors:
        raise ValidationError(errors)
    locked.save(update_fields=["logo", "banner"])
    challenge.logo, challenge.banner = locked.logo, locked.banner


def _set_picture(actor: User, challenge: Challenge, kind: str, content: bytes | None) -> None:
    rows = ChallengePicture.objects.filter(challenge=challenge, kind=kind)
    digest = ""
    if content is None:
        rows.delete()
    else:
        content = without_metadata(content)
        media_type = picture_header(content).media_type
        digest = hashlib.sha256(content).hexdigest()[:16]
        values = {"content": content, "media_type": media_type, "changed_by": actor, "changed_at": timezone.now()}
        rows.update_or_create(challenge=challenge, kind=kind, defaults=values)
    setattr(challenge, kind, digest)
    act = "picture_stored" if digest else "picture_removed"
    record(actor=actor, act=act, subject=challenge, scope=challenge.slug, facts={"kind": kind, "digest": digest})


def _check_title(pages: list[InformationPage], title: str, slug: str) -> None:
    if any(page.title.casefold() == title.casefold() or page.slug == slug for page in pages):
        raise ValidationError({"title": f"Another page has the title {title}. Choose a different one."})


def _note_pages(locked: Challenge, challenge: Challenge) -> None:
    """Store whether the challenge has pages, so that its tabs need no query."""
    locked.has_pages = locked.information_pages.exists()
    locked.save(update_fields=["has_pages"])
    challenge.has_pages = locked.has_pages
