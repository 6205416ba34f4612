from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    name = "workbench"
    verbose_name = "Analyses of brought tables"

    def ready(self):
        from web import navigation
        from web.home import register_section
        from work import kinds
        from workbench import rules  # noqa: F401 (permissions are registered on import)
        from workbench.contributions import home, rights, stored
        from workbench.queries import work

        kinds.register(work.BROUGHT_TABLES)
        navigation.register("Analyse", "workbench:list", order=45)
        register_section(home.invitation, order=55)
        rights.register()
        stored.register()
