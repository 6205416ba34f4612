"""Forms about the access to a closed challenge."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from challenges.models import AccessRule

_DOMAIN = re.compile(r"(?=.{4,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")


class LinkForm(forms.Form):
    """A new link that admits people."""

    label = forms.CharField(label="Name", max_length=80, help_text="Only organizers see it, for example: course 2027.")
    days = forms.IntegerField(
        label="Valid for", min_value=1, max_value=366, initial=14, help_text="Days until the link expires."
    )


class AccessRuleForm(forms.Form):
    """An e-mail domain or an institution."""

    kind = forms.ChoiceField(label="Proof", choices=AccessRule.Kind.choices)
    value = forms.CharField(
        label="Domain or institution",
        max_length=254,
        help_text="For example uni.example.org. Subdomains need a separate entry.",
    )

    def clean(self) -> dict[str, Any]:
        """Return the value in lower case.

        Raises
        ------
        ValidationError
            For a text that is no domain.
        """
        content: dict[str, Any] = super().clean() or {}
        value = str(content.get("value", "")).strip().lower()
        if content.get("kind") == AccessRule.Kind.DOMAIN:
            value = value.removeprefix("@")
            if value and not _DOMAIN.fullmatch(value):
                raise ValidationError({"value": "Enter a domain such as uni.example.org."})
        content["value"] = value
        return content
