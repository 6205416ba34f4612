"""Values measured outside Podium, brought into phases that rank them."""

from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    """Tables that organizers bring, and the results that come of them."""

    name = "submissions.measurements"
    label = "measurements"
    verbose_name = "Values measured outside"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from core.work import kinds
        from submissions.measurements import (
            contributions,
            queries,
            rules,  # noqa: F401 (permissions are registered on import)
        )

        kinds.register(queries.MEASUREMENTS)
        contributions.register()
