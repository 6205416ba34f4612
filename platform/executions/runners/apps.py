from django.apps import AppConfig


class RunnersConfig(AppConfig):
    """Machines elsewhere that run algorithms."""

    name = "executions.runners"
    label = "runners"
    verbose_name = "Runners"

    def ready(self) -> None:
        """Register the work, the permissions and the pages of this app."""
        from core.work import kinds
        from executions.runners import (
            contributions,
            queries,
            rules,  # noqa: F401 (registered on import)
        )

        kinds.register(queries.RETURNED)
        contributions.register()
