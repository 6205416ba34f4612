from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    name = "leaderboards"
    verbose_name = "Leaderboards"

    def ready(self):
        from challenges import hooks as challenge_hooks
        from leaderboards import exporting, ledgers, rules, services  # noqa: F401 (permissions are registered on import)
        from submissions import hooks as submission_hooks

        challenge_hooks.register_tab("Leaderboard", "leaderboards:first", order=30)
        challenge_hooks.phase_closed.append(services.request_final_ranking)
        challenge_hooks.assessment_changed.append(services.request_changed_ranking)
        submission_hooks.run_scored.append(services.request_ranking)
        if exporting.exported not in challenge_hooks.exports:
            challenge_hooks.exports.append(exporting.exported)
        ledgers.register()
