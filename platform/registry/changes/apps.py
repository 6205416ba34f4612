from django.apps import AppConfig


class ChangesConfig(AppConfig):
    name = "registry.changes"
    label = "changes"
    verbose_name = "Changes of registrations"

    def ready(self):
        from registry.changes import (
            contributions,
            rules,  # noqa: F401 (registered on import)
        )

        contributions.register()
