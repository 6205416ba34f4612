from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    name = "leaderboards"
    verbose_name = "Leaderboards"

    def ready(self):
        from accounts.notifications import kinds as messages
        from challenges import hooks as challenge_hooks
        from core.work import kinds
        from federation import hooks as federation_hooks
        from leaderboards import rules  # noqa: F401 (permissions are registered on import)
        from leaderboards.contributions import exporting, home, ledgers, places, publishing, records, stored
        from leaderboards.queries import final_ranks, work
        from leaderboards.services import public_rankings, rankings
        from submissions import hooks as submission_hooks
        from web.home import pictures, register_section

        kinds.register(work.RANKING, work.FOLLOWING, work.ANALYSES, work.SUSPECTS)
        messages.register(public_rankings.KIND, "The final ranking of a challenge of yours is public", order=18)
        records.register()
        challenge_hooks.register_tab("Leaderboard", "leaderboards:first", order=30)
        challenge_hooks.phase_closed.register(rankings.request_final_ranking)
        challenge_hooks.assessment_changed.register(rankings.request_changed_ranking)
        federation_hooks.changed.register(rankings.request_ranking_over_sites)
        submission_hooks.run_scored.register(rankings.request_ranking)
        submission_hooks.placed.register(places.place_of)
        submission_hooks.public_stands.register(places.public_stands_in)
        submission_hooks.ranks.register(places.ranks_of)
        challenge_hooks.exports.register(exporting.exported)
        challenge_hooks.final_ranks.register(final_ranks.final_ranks)
        ledgers.register()
        stored.register()
        publishing.register()
        register_section(home.my_challenges, order=20, audience="people")
        pictures.register(home.real_ranking)
