from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "accounts.notifications"
    label = "notifications"
    verbose_name = "Notifications"

    def ready(self):
        from accounts import hooks
        from accounts.notifications import contributions, services
        from accounts.notifications.queries import MAIL
        from core.work import kinds
        from web import navigation, tools

        kinds.register(MAIL)
        navigation.register("Notifications", "notifications:inbox", menu="account", order=5)
        navigation.register("Messages and e-mail", "notifications:preferences", menu="settings", order=20)
        hooks.register_post_letter(services.post_letter)
        contributions.register()
        tools.register(contributions.render, order=10)
