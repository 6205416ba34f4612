from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self):
        from web import navigation

        navigation.register("Profile", "accounts:profile", menu="settings", order=10)
        navigation.register("Access tokens", "accounts:tokens", menu="settings", order=30)
