from django.apps import AppConfig


class TestSetsConfig(AppConfig):
    """Sealed references of challenges."""

    name = "test_sets"
    verbose_name = "Test sets"

    # Keeps pytest from taking it for a class of tests.
    __test__ = False

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from test_sets import rules  # noqa: F401 (registered on import)
        from test_sets.contributions import ledgers, registrations
        from test_sets.queries import work
        from work import kinds

        kinds.register(work.CHECKING)
        ledgers.register()
        registrations.register()
