from django.apps import AppConfig


class UploadsConfig(AppConfig):
    """Files on their way in."""

    name = "datastore.uploads"
    label = "uploads"
    verbose_name = "Uploads"

    def ready(self) -> None:
        """Have Django check the settings of direct uploads, and files of forms go with their sender."""
        from datastore.uploads import contributions

        contributions.register()
