from django.apps import AppConfig


class DesignsConfig(AppConfig):
    name = "designs"
    verbose_name = "Designs"

    def ready(self):
        from designs import checks, rules  # noqa: F401 (checks and permissions are registered on import)
        from web import navigation

        navigation.register("Designs", "designs:list", order=20)
