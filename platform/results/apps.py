"""What came out of submissions: looked at case by case, over time and against each other, and by organizers as a whole."""

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    """The case viewer, a team's own scores over time, two submissions beside each other; for organizers all submissions, the
    queue and the export. Has no tables.
    """

    name = "results"
    verbose_name = "Results"

    def ready(self) -> None:
        """Add the organizers' pages to those of a challenge and of its test sets."""
        from results.contributions import registrations

        registrations.register()
