from django.apps import AppConfig


class DatasetsConfig(AppConfig):
    """Files that organizers give to participants and that a challenge leaves behind."""

    name = "datastore.datasets"
    label = "datasets"
    verbose_name = "Data sets"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from core.work import kinds
        from datastore.datasets import (
            contributions,
            rules,  # noqa: F401 (registered on import)
        )
        from datastore.datasets.queries import work

        kinds.register(work.DIGESTING)
        kinds.register(work.PUBLISHING)
        contributions.register()
