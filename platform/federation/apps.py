from django.apps import AppConfig


class FederationConfig(AppConfig):
    """Phases that are evaluated at sites: invitations, packages, signed results."""

    name = "federation"
    verbose_name = "Evaluation at sites"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from federation import (
            contributions,
            rules,  # noqa: F401 (registered on import)
        )

        contributions.register()
