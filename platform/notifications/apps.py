from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = "Notifications"

    def ready(self):
        from accounts import hooks
        from notifications import services
        from notifications.contributions import bell, rights
        from notifications.queries import MAIL
        from web import navigation, tools
        from work import kinds

        kinds.register(MAIL)
        navigation.register("Notifications", "notifications:inbox", menu="account", order=5)
        navigation.register("Messages and e-mail", "notifications:preferences", menu="settings", order=20)
        hooks.register_post_letter(services.post_letter)
        rights.register()
        tools.register(bell.render, order=10)
