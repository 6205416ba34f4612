"""The design system as a Django app."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Knows nothing of the apps below it; they enter their links and sections through `navigation`, `home`, `examples`."""

    name = "web"
    verbose_name = "Pages"

    def ready(self) -> None:
        """Register the entries that belong to the site itself."""
        from web import entries

        entries.register_all()
