from django.apps import AppConfig
from django.conf import settings


class ReviewsConfig(AppConfig):
    name = "reviews"
    verbose_name = "Reviews"

    def ready(self) -> None:
        from accounts.notifications import kinds
        from accounts.notifications.hooks import Places, places
        from core.work.kinds import register
        from designs import hooks
        from reviews import rules
        from reviews.contributions import design_checks, designs, home, invitations, rights  # noqa: F401 (checks and policies are registered on import)
        from reviews.queries.calls import calls_for
        from reviews.queries.work import ASSIGNMENTS
        from reviews.services.mails import KINDS, ROLES
        from web import navigation
        from web.examples import register_hint
        from web.home import next_steps, register_section

        places.register(Places("/calls/", calls_for, "slug", "title"))
        register(ASSIGNMENTS)
        rights.register()
        next_steps.register(home.what_to_review_next)
        register_section(home.my_reviews, order=40, audience="people")
        register_section(home.my_calls, order=50, audience="people")
        hooks.readers.register(rules.reads_design)
        hooks.standings.register(designs.standings, order=10)
        hooks.filings.register(designs.filing)
        for index, (name, title) in enumerate(KINDS.items()):
            kinds.register(name, title, order=30 + index, role=ROLES.get(name, "everyone"))
        rights.register_roles()
        if settings.PODIUM_EXAMPLE_MODE:
            register_hint("Follow a review", "reviews:call", "example-miccai", order=40)
        navigation.register("Calls", "reviews:calls", order=30)
        navigation.register("My reviews", "reviews:mine", menu="account", order=30)
