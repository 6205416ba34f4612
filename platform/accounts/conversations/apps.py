from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "accounts.conversations"
    label = "conversations"
    verbose_name = "Conversations"

    def ready(self) -> None:
        """Have what is kept of people known to accounts."""
        from accounts.conversations import contributions

        contributions.register()
