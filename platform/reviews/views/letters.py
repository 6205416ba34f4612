"""Letters as they will go, shown before they are sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from reviews.services.defaults import MAILS


@dataclass(frozen=True)
class ShownLetter:
    """A letter that was not sent yet.

    Attributes
    ----------
    to
        The recipient, or the number of recipients.
    about
        The design that the letter is about, if there is one.
    value
        Value that the form posts for this letter if it is chosen; empty if it cannot be excluded.
    last_at
        Time of the previous letter to the person about the same matter.
    """

    to: str
    subject: str
    text: str
    about: str = ""
    value: str = ""
    last_at: datetime | None = None


def lettered(
    request: HttpRequest,
    context: Mapping[str, Any],
    *,
    heading: str,
    letters: Sequence[ShownLetter],
    submit: str,
    back: str,
    base: str = "reviews/base.html",
    none: str = "",
    name: str = "letter",
    hidden_fields: Mapping[str, Sequence[str]] | None = None,
    kind: str = "",
    problems: Sequence[str] = (),
    all_of_them: bool = False,
    can_change: bool = False,
    note: str = "",
) -> HttpResponse:
    """Show the page of letters before they are sent: nothing is sent before the form is posted.

    Parameters
    ----------
    context
        Context of the page of the call or filing.
    none
        Text that is shown if there is no letter.
    name
        Name of the field that posts the chosen letters.
    hidden_fields
        Fields that are posted with them.
    kind
        Kind of the text (`reviews.services.defaults.MAILS`), which can be changed on a separate page.
    problems
        Reasons why some people receive no letter.
    all_of_them
        Whether no letter can be excluded.
    can_change
        Whether the chair wrote the text: posting `change` shows their form again.
    """
    text = (
        {"label": MAILS[kind].label, "url": reverse("reviews:mail", args=[context["call"].slug, kind])}
        if kind
        else None
    )
    return render(
        request,
        "reviews/letters.html",
        {
            **context,
            "base": base,
            # The pages of a filing have a heading of their own.
            "level": "h1" if base == "reviews/base.html" else "h2",
            "heading": heading,
            "letters": letters,
            "submit": submit,
            "back": back,
            "none": none,
            "name": name,
            "kept": [(key, value) for key, values in (hidden_fields or {}).items() for value in values],
            "text": text,
            "problems": problems,
            "all_of_them": all_of_them,
            "can_change": can_change,
            "note": note,
        },
    )
