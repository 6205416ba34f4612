"""What came out of submissions, looked at case by case, over time and against each other."""

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    """The case viewer, a team's own scores over time, two submissions beside each other; has no tables."""

    name = "results"
    verbose_name = "Results"
