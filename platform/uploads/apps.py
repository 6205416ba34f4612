from django.apps import AppConfig


class UploadsConfig(AppConfig):
    """Files on their way in."""

    name = "uploads"
    verbose_name = "Uploads"

    def ready(self) -> None:
        """Have Django check the settings of direct uploads."""
        from uploads.contributions import system_checks  # noqa: F401 (registered on import)
