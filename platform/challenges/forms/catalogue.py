"""The boundary: search, filters and order of the catalogue of challenges."""

from typing import Any

import django_filters as filters
from django import forms
from django.db.models import Q, QuerySet

from challenges import hooks
from challenges.models import Challenge
from challenges.queries import catalogue

STATES = (("open", "open"), ("upcoming", "upcoming"), ("closed", "closed"))
ORDERS = (("teams", "most teams"), ("newest", "newest"), ("title", "name"))
_STATE_VALUES = {"open": catalogue.OPEN, "upcoming": catalogue.UPCOMING, "closed": catalogue.CLOSED}


class CatalogueFilter(filters.FilterSet):
    """Search and filters of public challenges.

    Each filter offers only values that occur in the catalogue.
    """

    q = filters.CharFilter(method="by_text", label="Search", max_length=100)
    state = filters.ChoiceFilter(method="by_state", label="State", choices=STATES, empty_label="any")
    modality = filters.ChoiceFilter(method="by_facet", label="Modality", empty_label="any")
    anatomy = filters.ChoiceFilter(method="by_facet", label="Anatomy", empty_label="any")
    category = filters.ChoiceFilter(method="by_facet", label="Task", empty_label="any")
    access = filters.ChoiceFilter(method="by_access", label="Data access", empty_label="any")
    sort = filters.ChoiceFilter(method="by_order", label="Sort by", choices=ORDERS, empty_label="deadline")

    class Meta:
        model = Challenge
        fields: list[str] = []

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = catalogue.facet_choices()
        for kind in ("modality", "anatomy", "category"):
            self.filters[kind].extra.update(choices=choices.get(kind, []))
        self.filters["access"].extra.update(choices=hooks.access_choices())
        self.filters["q"].extra["widget"] = forms.TextInput(
            attrs={"type": "search", "placeholder": "For example: CT liver", "autocomplete": "off"}
        )

    def by_text(self, queryset: QuerySet[Challenge], name: str, value: str) -> QuerySet[Challenge]:  # noqa: ARG002 (signature)
        return catalogue.searched(queryset, value)

    def by_state(self, queryset: QuerySet[Challenge], name: str, value: str) -> QuerySet[Challenge]:  # noqa: ARG002 (signature)
        return queryset.filter(Q(state=_STATE_VALUES[value]))

    def by_facet(self, queryset: QuerySet[Challenge], name: str, value: str) -> QuerySet[Challenge]:
        return queryset.filter(catalogue.with_facet(name, value))

    def by_access(self, queryset: QuerySet[Challenge], name: str, value: str) -> QuerySet[Challenge]:  # noqa: ARG002 (signature)
        return queryset.filter(hooks.access_condition(value))

    def by_order(self, queryset: QuerySet[Challenge], name: str, value: str) -> QuerySet[Challenge]:  # noqa: ARG002 (signature)
        return queryset

    def filter_queryset(self, queryset: QuerySet[Challenge]) -> QuerySet[Challenge]:
        """Filter and sort; no challenge matches invalid criteria."""
        if self.form.errors:
            return queryset.none()
        return catalogue.ordered(super().filter_queryset(queryset), self.form.cleaned_data["sort"])

    @property
    def criteria(self) -> list[str]:
        """The chosen filters as text, without the order."""
        if self.form.errors:
            return []
        chosen = []
        for name, value in self.form.cleaned_data.items():
            if value and name != "sort":
                labels = dict(getattr(self.form.fields[name], "choices", ()))
                chosen.append(f"“{value}”" if name == "q" else f"{self.form.fields[name].label}: {labels[value]}")
        return chosen

    @property
    def is_narrowed(self) -> bool:
        """True if the search has criteria or errors."""
        return bool(self.form.errors or self.criteria)
