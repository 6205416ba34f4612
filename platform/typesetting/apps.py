from django.apps import AppConfig


class TypesettingConfig(AppConfig):
    name = "typesetting"
    verbose_name = "Documents as files"

    def ready(self):
        from typesetting.queries import work
        from work import kinds

        kinds.register(work.FILES)
