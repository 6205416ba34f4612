from django.apps import AppConfig


class TypesettingConfig(AppConfig):
    name = "core.typesetting"
    label = "typesetting"
    verbose_name = "Documents as files"

    def ready(self):
        from core.typesetting import queries
        from core.work import kinds

        kinds.register(queries.FILES)
