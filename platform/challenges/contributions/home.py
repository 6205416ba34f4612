"""What the home page shows of challenges."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from challenges.queries import public_challenges


def open_challenges(request: HttpRequest) -> str:
    """Return the cards of the public challenges as HTML."""
    return render_to_string("challenges/home_section.html", {"challenges": public_challenges()[:6]}, request)
