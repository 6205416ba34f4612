"""The type of requests that views behind `login_required` are called with."""

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request of somebody who is signed in: an annotation, never made."""

    user: User
