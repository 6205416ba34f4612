from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Reports of challenges and teams."""

    name = "reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        """Add the page, and the links that the registry shows."""
        from challenges import hooks as challenge_hooks
        from core.work import kinds
        from registry import hooks as registry_hooks
        from reports import (
            contributions,
            rules,  # noqa: F401 (permissions are registered on import)
        )
        from reports.queries import work

        kinds.register(work.REPORTS)
        challenge_hooks.register_tab("Reports", "reports:index", order=35)
        registry_hooks.links.register(contributions.public_rankings)
        registry_hooks.links.register(contributions.published_report)
        contributions.register()
