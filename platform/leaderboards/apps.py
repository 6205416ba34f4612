from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    name = "leaderboards"
    verbose_name = "Leaderboards"

    def ready(self):
        from challenges import hooks as challenge_hooks
        from leaderboards import rules  # noqa: F401 (permissions are registered on import)
        from leaderboards.contributions import exporting, ledgers
        from leaderboards.queries import work
        from leaderboards.services import rankings
        from submissions import hooks as submission_hooks
        from work import kinds

        kinds.register(work.RANKING, work.ANALYSES)
        challenge_hooks.register_tab("Leaderboard", "leaderboards:first", order=30)
        challenge_hooks.phase_closed.register(rankings.request_final_ranking)
        challenge_hooks.assessment_changed.register(rankings.request_changed_ranking)
        submission_hooks.run_scored.register(rankings.request_ranking)
        challenge_hooks.exports.register(exporting.exported)
        ledgers.register()
