"""The boundary: what people send."""

from typing import Any

from django import forms

from challenges.models import Phase
from uploads.forms import bounded


class SubmitForm(forms.Form):
    """An archive of predictions for one phase; works without JavaScript, and is what the upload script reads."""

    archive = forms.FileField(
        label="Archive",
        help_text="A .zip, .tar.gz or .tar.zst file with the predictions.",
        widget=forms.ClearableFileInput(attrs={"accept": ".zip,.tar,.tar.gz,.tgz,.zst"}),
    )
    accept_incomplete = forms.BooleanField(
        required=False,
        label="Score it without asking when cases are missing or cannot be read",
        help_text="Otherwise you are shown what is missing and decide then. What missing cases count as: see “What is expected”.",
    )

    def __init__(self, phase: Phase, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not phase.incomplete_allowed:
            del self.fields["accept_incomplete"]

    def clean_archive(self) -> Any:
        """Bound the size before the file goes anywhere."""
        return bounded(self.cleaned_data["archive"])
