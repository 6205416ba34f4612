"""The boundary: what organizers enter."""

from typing import Any

from django import forms

from designs.models import DesignVersion
from reports.exposure.queries.audience import Audience
from reports.services.reports import MOST_TEXT


class MakeForm(forms.Form):
    """For whom to make a report."""

    audience = forms.ChoiceField(choices=[(str(audience), str(audience)) for audience in Audience])


class TextForm(forms.Form):
    """The authors' text of an item, with what they saw when they wrote it."""

    text = forms.CharField(
        label="Text",
        required=False,
        max_length=MOST_TEXT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="An empty line starts a new paragraph. Tables and figures below the text are generated.",
    )
    based_on = forms.CharField(required=False, widget=forms.HiddenInput, strip=False)
    revision = forms.IntegerField(min_value=0, widget=forms.HiddenInput)


class DesignForm(forms.Form):
    """The design version that a challenge without a registration reports from."""

    version = forms.ModelChoiceField(
        queryset=DesignVersion.objects.none(),
        required=False,
        empty_label="– none –",
        label="Design version",
        help_text="Frozen versions of your designs.",
    )

    def __init__(self, *args: Any, versions: list[DesignVersion], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["version"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = DesignVersion.objects.filter(pk__in=[version.pk for version in versions]).select_related(
            "design"
        )
