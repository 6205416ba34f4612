"""The workbench on the home page."""

from django.http import HttpRequest
from django.template.loader import render_to_string


def invitation(request: HttpRequest) -> str:
    """Return the section that invites people to bring a table, as HTML."""
    return render_to_string("workbench/home_section.html", {}, request)
