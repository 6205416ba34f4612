"""Figures as JSON for Plotly."""

from collections.abc import Mapping
from typing import Any

from django.http import JsonResponse

from evaluation.figures.markup import for_plotly


def figure_json(figure: Mapping[str, Any]) -> JsonResponse:
    """Answer with a figure whose texts are harmless: Plotly takes them for HTML."""
    return JsonResponse(for_plotly(figure))
