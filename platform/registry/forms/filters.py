"""The search form of the registry."""

from typing import Any

import django_filters as filters
from django import forms
from django.db.models import QuerySet

from registry.models import Facet, Listing, Registration
from registry.queries import facet_options, search

Kind = Facet.Kind


class RegistryFilter(filters.FilterSet):
    """Search by words and by what designs say of themselves; every choice is one that something has."""

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
        """Whether anything was asked for."""
        return bool(self.form.errors) or any(self.form.cleaned_data.values())
