from django.apps import AppConfig


class WorkConfig(AppConfig):
    name = "work"
    verbose_name = "Durable work"

    def ready(self) -> None:
        from work import memory

        memory.connect()
