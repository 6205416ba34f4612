from django.apps import AppConfig
from django.conf import settings
from django.db.models.signals import pre_migrate


class OperationsConfig(AppConfig):
    name = "operations"
    verbose_name = "Operations"

    def ready(self):
        from operations.contributions import (
            system_checks,  # noqa: F401 (registered on import)
            unsealed,
            witnesses,
            writers,
        )
        from operations.queries.overview import is_operator
        from operations.services import layout
        from operations.services.examples import try_me
        from submissions import hooks
        from web import navigation
        from web.examples import register_hint

        unsealed.register()
        witnesses.register()
        writers.register()
        pre_migrate.connect(layout.mark_new_database, sender=self)
        hooks.try_me.register(try_me)
        navigation.register(
            "Operate", "operations:operate", menu="account", order=90, visible=lambda request: is_operator(request.user)
        )
        if settings.PODIUM_EXAMPLE_MODE:
            register_hint("Read the leaderboard", "leaderboards:first", "hippocampus", order=10)
            register_hint("Submit predictions yourself (as paula)", "submissions:submit", "hippocampus", order=20)
            register_hint("Sent mails", "notifications:sent_mails", order=60)
            register_hint("See what organizers see (as olivia)", "results:organize", "hippocampus", order=30)
