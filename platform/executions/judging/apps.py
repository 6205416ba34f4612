from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """Scoring images of organizers, their trials, and the values they give."""

    name = "executions.judging"
    label = "judging"
    verbose_name = "Scoring images"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from core.work import kinds
        from executions.judging import (
            contributions,
            queries,
            rules,  # noqa: F401 (registered on import)
        )

        kinds.register(queries.TRYING, queries.JUDGING)
        contributions.register()
