"""The boundary, what people send: filters of lists, and acts on registrations."""

from datetime import timedelta
from typing import Any

import django_filters as filters
from django import forms
from django.db.models import QuerySet
from django.utils import timezone

from registry.models import Facet, Listing, Registration
from registry.queries import facet_options, search

Kind = Facet.Kind

PERIODS = ((0, "none: final at once"), (14, "two weeks"), (30, "thirty days"), (60, "sixty days"))

# Most characters of a comment, an answer, a reason.
MAX_TEXT = 5_000


class RegistryFilter(filters.FilterSet):
    """Search by text and by the properties that designs state.

    Each filter offers only values that occur in the registry.
    """

    q = filters.CharFilter(method="by_text", label="Search", max_length=200)
    modality = filters.ChoiceFilter(method="by_facet", label="Modality")
    anatomy = filters.ChoiceFilter(method="by_facet", label="Anatomy")
    category = filters.ChoiceFilter(method="by_facet", label="Task category")
    field = filters.ChoiceFilter(method="by_facet", label="Field of application")
    metric = filters.ChoiceFilter(method="by_facet", label="Metric")
    year = filters.ChoiceFilter(field_name="edition", label="Year")
    venue = filters.ChoiceFilter(field_name="venue", label="Venue")
    state = filters.ChoiceFilter(
        field_name="registration__state", label="State", choices=Registration.State.choices, empty_label="any"
    )

    class Meta:
        model = Listing
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = facet_options()
        for kind in Kind.values:
            self.filters[kind].extra.update(choices=options.get(kind, []), empty_label="any")
        rows = set(Listing.objects.values_list("edition", "venue", "venue_label"))
        years = sorted({year for year, _, _ in rows if year is not None}, reverse=True)
        venues = sorted({(venue, label) for _, venue, label in rows if venue}, key=lambda pair: pair[1].lower())
        self.filters["year"].extra.update(choices=[(str(year), str(year)) for year in years], empty_label="any")
        self.filters["venue"].extra.update(choices=venues, empty_label="any")
        self.filters["q"].extra["widget"] = forms.TextInput(
            attrs={"type": "search", "placeholder": "hippocampus “surface distance”"}
        )

    def by_text(self, queryset: QuerySet[Listing], name: str, value: str) -> QuerySet[Listing]:  # noqa: ARG002 (signature)
        return search(queryset, value)

    def by_facet(self, queryset: QuerySet[Listing], name: str, value: str) -> QuerySet[Listing]:
        having = Facet.objects.filter(kind=name, value=value).values("registration_id")
        return queryset.filter(registration_id__in=having)

    def filter_queryset(self, queryset: QuerySet[Listing]) -> QuerySet[Listing]:
        """Nothing for a question that cannot be understood: everything would look like an answer to it."""
        return queryset.none() if self.form.errors else super().filter_queryset(queryset)

    @property
    def is_narrowed(self) -> bool:
        """True if the search has criteria or errors."""
        return bool(self.form.errors) or any(self.form.cleaned_data.values())


class RegisterForm(forms.Form):
    """Form with the options for the registration of a design."""

    comment_days = forms.TypedChoiceField(
        label="Comment period",
        choices=PERIODS,
        coerce=int,
        initial=0,
        help_text="The record is public immediately. Signed-in users can comment during this period.",
    )

    is_embargoed = forms.BooleanField(
        label="Embargo",
        required=False,
        help_text="The public sees only the identifier, the date and the digest, until you end the embargo.",
    )

    def clean(self):
        """Refuse comments on a design that the public cannot read."""
        content = super().clean() or {}
        if content.get("is_embargoed") and content.get("comment_days"):
            self.add_error("comment_days", "Choose no comment period: the public cannot read a design under embargo.")
        return content

    def comment_until(self):
        """End of the comment period, none without one."""
        days = self.cleaned_data["comment_days"]
        return timezone.now() + timedelta(days=days) if days else None


class EndForm(forms.Form):
    """Form that ends a registration, with the new state and the reason."""

    state = forms.ChoiceField(
        label="New status",
        choices=[
            (Registration.State.WITHDRAWN, "Withdrawn: the challenge will not take place"),
            (Registration.State.ABANDONED, "Abandoned: it started but was not completed"),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Reason", widget=forms.Textarea(attrs={"rows": 5}), max_length=MAX_TEXT, help_text="Public and permanent."
    )


class CommentForm(forms.Form):
    """A comment on a registration."""

    text = forms.CharField(label="Your comment", widget=forms.Textarea(attrs={"rows": 5}), max_length=MAX_TEXT)
    parameter = forms.ChoiceField(label="Parameter", required=False)

    def __init__(self, *args, parameters=(), **kwargs):
        super().__init__(*args, **kwargs)
        parameter = self.fields["parameter"]
        assert isinstance(parameter, forms.ChoiceField)
        parameter.choices = [("", "the design as a whole"), *parameters]


class ReasonForm(forms.Form):
    """Form for the reason why a comment is hidden, or for the answer of the organizers."""

    text = forms.CharField(max_length=MAX_TEXT)
