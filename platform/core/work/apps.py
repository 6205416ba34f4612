from django.apps import AppConfig


class WorkConfig(AppConfig):
    name = "core.work"
    label = "work"
    verbose_name = "Durable work"

    def ready(self) -> None:
        from core.work import memory

        memory.connect()
