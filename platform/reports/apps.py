from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Reports of challenges and teams."""

    name = "reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        """Add the page, and the links that the registry shows."""
        from challenges import hooks as challenge_hooks
        from registry import hooks as registry_hooks
        from reports import links, rules  # noqa: F401 (permissions are registered on import)

        challenge_hooks.register_tab("Reports", "reports:index", order=35)
        for provider in (links.public_rankings, links.published_report):
            if provider not in registry_hooks.links:
                registry_hooks.links.append(provider)
