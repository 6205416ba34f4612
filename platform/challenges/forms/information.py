"""Forms for pages and pictures of organizers."""

from django import forms

from challenges.domain.pictures import MOST_BYTES
from challenges.services.information import MOST
from web.names import NameField


class InformationPageForm(forms.Form):
    """Title, text and position of a page."""

    title = NameField(label="Title", max_length=60, help_text="Such as FAQ, Prizes or Sponsors.")
    text = forms.CharField(
        label="Text",
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="Markdown. Rules and scoring come from the registered design, not from this page.",
    )
    position = forms.TypedChoiceField(
        label="Position", choices=[(number, str(number)) for number in range(1, MOST + 1)], coerce=int, initial=1
    )


class PicturesForm(forms.Form):
    """Logo and banner of a challenge."""

    logo = forms.FileField(
        label="Logo",
        required=False,
        help_text="PNG or JPEG, best square, at most 512 KiB. It appears next to the title and in the catalogue.",
    )
    remove_logo = forms.BooleanField(label="Remove the logo", required=False)
    banner = forms.FileField(
        label="Banner",
        required=False,
        help_text="PNG or JPEG, best four times as wide as high. It appears on the overview.",
    )
    remove_banner = forms.BooleanField(label="Remove the banner", required=False)

    def contents(self) -> dict[str, bytes | None]:
        """Return the new files by kind, `None` for a picture to remove."""
        contents: dict[str, bytes | None] = {}
        for kind in ("logo", "banner"):
            if file := self.cleaned_data[kind]:
                contents[kind] = file.read(MOST_BYTES + 1)
            elif self.cleaned_data[f"remove_{kind}"]:
                contents[kind] = None
        return contents
