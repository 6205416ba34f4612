from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """Scoring images of organizers, their trials, and the values they give."""

    name = "judging"
    verbose_name = "Scoring images"

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from judging import rules  # noqa: F401 (registered on import)
        from judging.contributions import design_checks, leases, registrations, trials  # noqa: F401
        from judging.queries import work
        from work import kinds

        kinds.register(work.TRYING, work.JUDGING)
        leases.register()
        trials.register()
        registrations.register()
