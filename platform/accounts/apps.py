from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = "Accounts"

    def ready(self):
        from accounts import contributions  # noqa: F401 (connects receivers)
        from web import navigation

        navigation.register("Profile", "accounts:profile", menu="settings", order=10)
        navigation.register("Access tokens", "accounts:tokens", menu="settings", order=30)
        navigation.register("Your data", "accounts:own_data", menu="settings", order=40)
