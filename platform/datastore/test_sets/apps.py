from django.apps import AppConfig


class TestSetsConfig(AppConfig):
    """Sealed references of challenges."""

    name = "datastore.test_sets"
    label = "test_sets"
    verbose_name = "Test sets"

    # Keeps pytest from taking it for a class of tests.
    __test__ = False

    def ready(self) -> None:
        """Answer the hooks of the apps above."""
        from core.work import kinds
        from datastore.test_sets import rules  # noqa: F401 (registered on import)
        from datastore.test_sets.contributions import home, ledgers, publishing, registrations, stored
        from datastore.test_sets.queries import work
        from web.home import next_steps

        kinds.register(work.CHECKING, work.OVERLAPS, work.OVERLAP_QUESTIONS)
        next_steps.register(home.missing_test_sets)
        ledgers.register()
        publishing.register()
        registrations.register()
        stored.register()
