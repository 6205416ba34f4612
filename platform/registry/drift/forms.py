"""The boundary: what people paste, upload or name."""

from typing import Any

from django import forms
from django.conf import settings

from registry.drift.domain.reading import MAX_BYTES, MAX_CHARACTERS


class DriftForm(forms.Form):
    """One text from one source."""

    title = forms.CharField(label="Title", max_length=200, help_text="Such as: website on 1 March, or paper draft.")
    text = forms.CharField(
        label="Text",
        required=False,
        max_length=MAX_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Paste the text of the website or paper.",
    )
    file = forms.FileField(
        label="File",
        required=False,
        help_text=f"Or upload a PDF, a text file or a saved web page of at most {MAX_BYTES // 1024**2} MB.",
    )
    address = forms.URLField(
        label="Web address",
        required=False,
        max_length=500,
        assume_scheme="https",
        help_text="Or enter the address of a public website. Podium downloads it once.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.PODIUM_DRIFT_FETCH:
            del self.fields["address"]

    def clean_file(self) -> Any:
        """Refuse what is too large before it is read."""
        file = self.cleaned_data.get("file")
        if file is not None and file.size > MAX_BYTES:
            raise forms.ValidationError(f"The file has {file.size:,} bytes; at most {MAX_BYTES:,} are read.")
        return file

    def clean(self) -> dict[str, Any]:
        """Exactly one source."""
        cleaned = super().clean() or {}
        given = [name for name in ("text", "file", "address") if cleaned.get(name)]
        if len(given) != 1 and not self.errors:
            raise forms.ValidationError("Provide the text in exactly one way.")
        return cleaned
