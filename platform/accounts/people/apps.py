from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "accounts.people"
    label = "people"
    verbose_name = "People"

    def ready(self) -> None:
        """Have what is kept of people known to accounts."""
        from accounts.people import contributions

        contributions.register()
