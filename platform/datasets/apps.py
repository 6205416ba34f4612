from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Files that organizers give to participants and that a challenge leaves behind."""

    name = "datasets"
    verbose_name = "Data sets"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from datasets import rules  # noqa: F401 (registered on import)
        from datasets.contributions import registrations, stored
        from datasets.queries import work
        from work import kinds

        kinds.register(work.DIGESTING)
        kinds.register(work.PUBLISHING)
        registrations.register()
        stored.register()
