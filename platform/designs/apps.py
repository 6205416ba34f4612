from django.apps import AppConfig


class DesignsConfig(AppConfig):
    name = "designs"
    verbose_name = "Designs"

    def ready(self):
        from accounts.notifications import kinds
        from accounts.notifications.hooks import Places, places
        from core.work.kinds import register
        from designs import rules  # noqa: F401 (checks and permissions are registered on import)
        from designs.contributions import checks, conversations, home, invitations, rights  # noqa: F401 (checks and permissions are registered on import)
        from designs.queries.lists import designs_for
        from designs.queries.work import IMPORTS, REHEARSALS, SAMPLE_REHEARSALS, SCANS, SIMULATIONS
        from web import navigation
        from web.home import register_section

        places.register(Places("/designs/", designs_for, "slug", "title"))
        register(IMPORTS, REHEARSALS, SAMPLE_REHEARSALS, SCANS, SIMULATIONS)
        rights.register()
        register_section(home.my_designs, order=30, audience="people")
        kinds.register("design_invitation", "You are invited to write a design", order=20)
        navigation.register("Designs", "designs:list", order=20)
