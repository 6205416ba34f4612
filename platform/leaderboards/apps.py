from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    name = "leaderboards"
    verbose_name = "Leaderboards"

    def ready(self):
        from challenges import hooks as challenge_hooks
        from leaderboards import exporting, ledgers, rules, services  # noqa: F401 (permissions are registered on import)
        from leaderboards.reports import links
        from leaderboards.reports import rules as report_rules  # noqa: F401 (permissions are registered on import)
        from registry import hooks as registry_hooks
        from submissions import hooks as submission_hooks

        challenge_hooks.register_tab("Leaderboard", "leaderboards:first", order=30)
        challenge_hooks.phase_closed.append(services.request_final_ranking)
        challenge_hooks.assessment_changed.append(services.request_changed_ranking)
        submission_hooks.run_scored.append(services.request_ranking)
        if exporting.exported not in challenge_hooks.exports:
            challenge_hooks.exports.append(exporting.exported)
        challenge_hooks.register_tab("Reports", "reports:index", order=35)
        for provider in (links.public_rankings, links.published_report):
            if provider not in registry_hooks.links:
                registry_hooks.links.append(provider)
        ledgers.register()
