from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "api"
    verbose_name = "REST interface"

    def ready(self):
        from web import navigation

        navigation.register("API", "api:docs", menu="footer", order=70)
