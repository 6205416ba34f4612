"""The boundary: what organizers send."""

from django import forms


class ScorerForm(forms.Form):
    """A scoring image; works without JavaScript, and is what the upload script reads."""

    archive = forms.FileField(label="Archive")
