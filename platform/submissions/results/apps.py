"""Results of submissions: by case, over time, in comparison, and in total for organizers."""

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    """App with the result pages for teams and organizers.

    Teams have the case viewer, their scores over time and the comparison of two submissions. Organizers have all
    submissions, the queue and the export. The app has no tables.
    """

    name = "submissions.results"
    label = "results"
    verbose_name = "Results"

    def ready(self) -> None:
        """Add the organizers' pages to those of a challenge and of its test sets."""
        from submissions.results import contributions

        contributions.register()
