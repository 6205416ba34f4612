"""The type of requests that views behind `login_required` are called with."""

from django.http import HttpRequest
from rest_framework.request import Request

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request of somebody who is signed in: an annotation, never made."""

    user: User


class SignedInApiRequest(Request):
    """The same of the interface, where nobody else passes the permissions of a view."""

    user: User
