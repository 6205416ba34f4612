"""Names of metrics for people."""

from django import template

from evaluation import catalogue

register = template.Library()


@register.filter
def metric_name(name: str) -> str:
    """Write the name that an assessment gives to a metric as tables do: that of the field, or the organizers' own."""
    try:
        return catalogue.get(name).abbreviation
    except catalogue.CatalogueError:
        return catalogue.readable(name)
