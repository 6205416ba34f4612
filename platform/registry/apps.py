from django.apps import AppConfig


class RegistryConfig(AppConfig):
    name = "registry"
    verbose_name = "Registry"

    def ready(self):
        from accounts.notifications.hooks import Places, places
        from core.work import kinds
        from designs import hooks as design_hooks
        from registry import hooks, rules  # noqa: F401 (permissions are registered on import)
        from registry.contributions import conversations, designs, home, records  # noqa: F401 (policies are registered on import)
        from registry.queries.registrations import named_records
        from registry.queries.work import DEPOSITS
        from registry.services import messages, reminders
        from web import navigation
        from web.home import register_section

        design_hooks.registered_names.register(designs.names)
        design_hooks.registered_at.register(designs.registered_at)
        design_hooks.standings.register(designs.standings, order=30)
        design_hooks.registered_documents.register(designs.registered_document)
        places.register(Places("/registry/", named_records, "identifier", "listing__name"))
        kinds.register(DEPOSITS)
        navigation.register("Registry", "registry:list", order=30)
        navigation.register("Statistics of the registry", "registry:statistics", menu="footer", order=30)
        navigation.register("Integrity of the records", "registry:integrity", menu="footer", order=31)
        home.register()
        records.register()
        register_section(home.newest, order=60, audience="visitors")
        messages.register_kinds()
        reminders.register_kinds()
        hooks.register_tab("Record", "registry:detail", order=0)
        hooks.register_tab("Versions", "registry:versions", order=10)
        hooks.register_tab("Comments", "registry:comments", order=20)
