"""The type of requests that views behind `login_required` are called with."""

from django.http import HttpRequest
from rest_framework.request import Request

from accounts.models import User


class SignedInRequest(HttpRequest):
    """Request of a signed-in person, for annotations only; it is never instantiated."""

    user: User


class SignedInApiRequest(Request):
    """API request of a signed-in person, for views whose permissions admit no other requests."""

    user: User
