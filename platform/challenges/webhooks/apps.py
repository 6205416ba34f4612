from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Messages to other programs about challenges and calls."""

    name = "challenges.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"

    def ready(self) -> None:
        """Register the work, the permissions and the pages of this app."""
        from challenges.webhooks import (
            contributions,
            queries,
            rules,  # noqa: F401 (registered on import)
        )
        from core.work import kinds

        kinds.register(queries.DELIVERIES)
        contributions.register()
