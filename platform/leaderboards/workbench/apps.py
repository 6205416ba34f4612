from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    name = "leaderboards.workbench"
    label = "workbench"
    verbose_name = "Analyses of brought tables"

    def ready(self):
        from core.work import kinds
        from leaderboards.workbench import (
            contributions,
            queries,
            rules,  # noqa: F401 (permissions are registered on import)
        )
        from web import navigation
        from web.home import register_section

        kinds.register(queries.BROUGHT_TABLES)
        navigation.register("Analyse", "workbench:list", order=45)
        register_section(contributions.invitation, order=55)
        contributions.register()
