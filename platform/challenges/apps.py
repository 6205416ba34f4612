from django.apps import AppConfig


class ChallengesConfig(AppConfig):
    name = "challenges"
    verbose_name = "Challenges"

    def ready(self):
        from accounts.notifications.hooks import Places, places
        from challenges import rules  # noqa: F401 (checks and permissions are registered on import)
        from challenges.contributions import (  # noqa: F401 (checks and policies are registered on import)
            conversations,
            design_checks,
            home,
            invitations,
            participation,
            records,
            registrations,
            rehearsals,
            rights,
            sitemap,
        )
        from challenges.hooks import register_tab
        from challenges.queries.challenges import part_of, seen_by
        from web import navigation
        from web.home import next_steps, register_section

        places.register(Places("/challenges/", seen_by, "slug", "title", joined=part_of))
        registrations.register()
        participation.register()
        records.register()
        rehearsals.register()
        rights.register()
        sitemap.register()
        navigation.register("Challenges", "challenges:list", order=10)
        register_section(home.open_challenges, audience="visitors")
        register_section(home.suggested, order=5, audience="people")
        register_section(home.challenges_run, order=10, audience="people")
        next_steps.register(home.what_organizers_do_next)
        register_tab("Overview", "challenges:detail", order=0)
        register_tab(
            "Organize",
            "challenges:organize",
            visible=lambda user, challenge: user.has_perm("challenges.organize_challenge", challenge),
            order=90,
        )
