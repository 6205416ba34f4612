from django.contrib import admin

from accounts.notifications.models import Email


@admin.register(Email)
class EmailAdmin(admin.ModelAdmin):
    """For operators: what was sent, what waits, what failed and why; the content stays between writer and reader."""

    list_display = ["created_at", "to", "kind", "state", "attempts", "due_at", "sent_at", "failure"]
    list_filter = ["state", "kind"]
    search_fields = ["to"]
    readonly_fields = ["to", "kind", "state", "attempts", "due_at", "created_at", "sent_at", "failure"]
    fields = [*readonly_fields]

    def has_add_permission(self, request):  # noqa: ARG002 (Django's signature)
        return False

    def has_delete_permission(self, request, obj=None):  # noqa: ARG002 (Django's signature)
        return False
