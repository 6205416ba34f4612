"""The design system as a Django app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Knows nothing of the apps below it; they enter their links and sections through `navigation`, `home`, `examples`."""

    name = "web"
    verbose_name = "Pages"

    def ready(self) -> None:
        """Register the entries that belong to the site itself, and keep confined children out of requests."""
        from confinement import sandbox
        from web import entries, middleware

        entries.register_all()
        sandbox.guards.append(middleware.refuse_child)
