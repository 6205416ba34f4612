"""Submissions, runs and per-case results."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    """App for the submissions of teams, with their runs and results."""

    name = "submissions"
    verbose_name = "Submissions"

    def ready(self) -> None:
        """Answer the hooks of the apps above and learn of workers that come up."""
        from core.work import kinds as work_kinds
        from designs import hooks
        from submissions import rules  # noqa: F401 (registered on import)
        from submissions.contributions import (  # noqa: F401 (registered on import)
            design_checks,
            home,
            receivers,
            registrations,
            rights,
            run_checks,
            runs,
            stored,
        )
        from submissions.queries import work
        from web.home import next_steps

        work_kinds.register(work.VALIDATION, work.SCORING, work.RESCORING, work.STARTER_KITS)
        hooks.reference_sources.register(design_checks.reference_sources)
        next_steps.register(home.what_teams_do_next)
        receivers.connect()
        registrations.register()
        rights.register()
        runs.register()
        stored.register()
