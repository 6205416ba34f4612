"""The boundary: what is sent where algorithms are handed in."""

from typing import Any

from django import forms

from executions.models import AlgorithmArchive
from executions.models.archives import Kind


class ArchiveForm(forms.Form):
    """An image, or weights; works without JavaScript, and is what the upload script reads."""

    kind = forms.ChoiceField(
        label="What it is",
        choices=((Kind.IMAGE, "A container image"), (Kind.MODEL, "Weights for one")),
        initial=Kind.IMAGE,
    )
    archive = forms.FileField(label="Archive")


class HandInForm(forms.Form):
    """Which image to run, with which weights."""

    image = forms.ChoiceField(label="Image")
    model = forms.ChoiceField(label="Weights", required=False, help_text="Read by the image at /model.")

    def __init__(
        self, images: list[AlgorithmArchive], models: list[AlgorithmArchive], *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._known = {str(archive.pk): archive for archive in (*images, *models)}
        image, model = self.fields["image"], self.fields["model"]
        assert isinstance(image, forms.ChoiceField)
        assert isinstance(model, forms.ChoiceField)
        image.choices = [(str(archive.pk), _label(archive)) for archive in images]
        if models:
            own = [(str(archive.pk), _label(archive)) for archive in models]
            model.choices = [("", "none"), *own]
        else:
            del self.fields["model"]

    def clean_image(self) -> AlgorithmArchive:
        """The chosen image."""
        return self._known[self.cleaned_data["image"]]

    def clean_model(self) -> AlgorithmArchive | None:
        """The chosen weights."""
        return self._known.get(self.cleaned_data.get("model") or "")


def _label(archive: AlgorithmArchive) -> str:
    sent = f"{archive.created_at:%-d %B, %H:%M} UTC"
    known = archive.digest.removeprefix("sha256:")[:12]
    return f"{archive.file_name} ({f'{known}, ' if known else ''}sent {sent})"
