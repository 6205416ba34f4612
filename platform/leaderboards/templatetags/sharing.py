"""Address of the picture of a ranking."""

from typing import Any

from django import template
from django.urls import reverse

from web.addresses import absolute

register = template.Library()


@register.simple_tag
def share_picture_address(challenge: Any, key: str, version: Any) -> str:
    """The address of the picture of one version, as other sites reach it."""
    return absolute(reverse("leaderboards:share_picture", args=[challenge.slug, key, version.number]))
