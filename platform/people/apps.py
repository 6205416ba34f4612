from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "people"
    verbose_name = "People"

    def ready(self) -> None:
        """Have what is kept of people known to accounts."""
        from people.contributions import rights

        rights.register()
