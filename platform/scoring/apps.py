"""App that turns predictions into results, regardless of their author."""

from django.apps import AppConfig


class ScoringConfig(AppConfig):
    """Takes an archive, a test set and an assessment; knows neither submissions nor teams, and has no tables."""

    name = "scoring"
    verbose_name = "Scoring"
