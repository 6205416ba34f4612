"""Values measured outside Podium, brought into phases that rank them."""

from django.apps import AppConfig


class MeasurementsConfig(AppConfig):
    """Tables that organizers bring, and the results that come of them."""

    name = "measurements"
    verbose_name = "Values measured outside"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from measurements import rules  # noqa: F401 (permissions are registered on import)
        from measurements.contributions import ledgers, registrations, stored
        from measurements.queries import work
        from work import kinds

        kinds.register(work.MEASUREMENTS)
        registrations.register()
        ledgers.register()
        stored.register()
