"""What was handed in, runs and per-case results."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    """What teams hand in, and what became of it."""

    name = "submissions"
    verbose_name = "Submissions"

    def ready(self) -> None:
        """Answer the hooks of the apps above and learn of workers that come up."""
        from designs import hooks
        from submissions import rules  # noqa: F401 (registered on import)
        from submissions.contributions import design_checks, receivers, registrations, run_checks  # noqa: F401 (registered on import)
        from submissions.queries import work
        from work import kinds as work_kinds

        work_kinds.register(work.VALIDATION, work.SCORING, work.RESCORING)
        hooks.reference_sources.register(design_checks.reference_sources)
        receivers.connect()
        registrations.register()
