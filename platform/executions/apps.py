from django.apps import AppConfig


class ExecutionsConfig(AppConfig):
    """Algorithms that teams hand in, and running them."""

    name = "executions"
    verbose_name = "Executions"

    def ready(self) -> None:
        """Answer the hooks of the apps above and learn of workers that come up."""
        from core.work import kinds
        from executions import (
            contributions,
            rules,  # noqa: F401 (registered on import)
        )
        from executions.queries import work

        kinds.register(work.CHECKING, work.RUNNING, work.ASSEMBLING)
        contributions.connect()
        contributions.register()
