from django.apps import AppConfig


class ChangesConfig(AppConfig):
    name = "changes"
    verbose_name = "Changes of registrations"

    def ready(self):
        from changes import rules  # noqa: F401 (registered on import)
        from changes.contributions import registrations

        registrations.register()
