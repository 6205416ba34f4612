"""Forms in which organizers manage sites."""

from typing import Any

from django import forms

from challenges.models import Challenge
from federation.domain.terms import USUAL_TERMS
from federation.models.federations import site_name
from federation.queries.images import images_of
from web.names import check_characters


class TermsField(forms.CharField):
    """A text of several lines, with the line ends of no machine: its digest is signed."""

    def to_python(self, value: Any) -> str:
        """Read what a browser sends, which ends lines in its own way."""
        return str(super().to_python(value)).replace("\r\n", "\n").replace("\r", "\n")


class OpenForm(forms.Form):
    """Phase to evaluate at sites, and the terms that its sites confirm."""

    phase = forms.ChoiceField(label="Phase")
    terms = TermsField(
        label="Terms",
        widget=forms.Textarea(attrs={"rows": 12}),
        max_length=20_000,
        validators=[check_characters],
        help_text=(
            "Terms that a person at each site confirms. They are signed with the key of the site and "
            "cannot be changed later."
        ),
    )

    def __init__(self, *args: Any, phases: list[tuple[int, str]], **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"terms": USUAL_TERMS.format(minimum=10)})
        super().__init__(*args, **kwargs)
        self.fields["phase"].choices = phases  # type: ignore[attr-defined]


class InviteForm(forms.Form):
    """A hospital to invite."""

    name = forms.CharField(
        label="Name in the challenge",
        max_length=64,
        validators=[site_name],
        help_text=(
            "Public and part of every message: a pseudonym such as S-07, or the name of the institution. "
            "It cannot be changed."
        ),
    )
    institution = forms.CharField(
        label="Institution",
        required=False,
        max_length=200,
        validators=[check_characters],
        help_text="Visible to you only.",
    )
    contact = forms.EmailField(
        label="E-mail of the coordinator",
        required=False,
        help_text="The invitation is sent to this address. You can also forward it yourself.",
    )
    country = forms.RegexField(
        r"^[A-Za-z]{2}$", label="Country", required=False, help_text="Two letters, such as DE. Public.",
        error_messages={"invalid": "Two letters, such as DE."},
    )  # fmt: skip


class AlgorithmForm(forms.Form):
    """Something that sites score."""

    name = forms.CharField(
        label="Name",
        max_length=64,
        validators=[site_name],
        help_text="Name of the prediction folder at every site. It appears in the ranking.",
    )
    archive = forms.ChoiceField(
        label="Image",
        required=False,
        help_text=(
            "Sites download the image by digest and run it on their cases. Without an image, predictions "
            "are transferred to them."
        ),
    )
    may_be_carried = forms.BooleanField(
        label="Sites can provide predictions instead of running the image", required=False
    )
    team = forms.ChoiceField(label="Team", required=False, help_text="Team of the algorithm, if there is no image.")

    def __init__(self, *args: Any, challenge: Challenge, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = list(challenge.teams.order_by("name").values_list("pk", "name"))
        self.fields["team"].choices = [("", "no team of this challenge"), *teams]  # type: ignore[attr-defined]
        self.archives = {str(row.pk): row for row in images_of(challenge)}
        named = [
            (key, f"{row.team.name if row.team else 'no team'}: {row.file_name} ({row.digest[:19]})")
            for key, row in self.archives.items()
        ]
        self.fields["archive"].choices = [("", "none: predictions"), *named]  # type: ignore[attr-defined]
        if not named:
            del self.fields["archive"], self.fields["may_be_carried"]


class PublicCasesForm(forms.Form):
    """The public cases of a package."""

    archive = forms.FileField(
        label="Public cases (ZIP)",
        help_text="Made with: podium site pack-test ASSESSMENT.json --references DIR --predictions DIR --output public.zip",
    )


class CarriedForm(forms.Form):
    """File with signed messages that was transferred by a person."""

    file = forms.FileField(label="File of the site", help_text="Made with: podium site send --output FILE")
