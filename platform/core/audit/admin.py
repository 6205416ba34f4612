"""Changes in the administration pages, as acts of the audit log."""

from django.contrib import admin
from django.db import transaction

from core.audit.services import record


class RecordedAdmin(admin.ModelAdmin):
    """Administration of a model whose changes are acts."""

    def log_addition(self, request, obj, message):
        """Record that a row was added; the page has opened a transaction."""
        record(actor=request.user, act="administration_added", subject=obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request, obj, message):
        """Record that a row was changed."""
        with transaction.atomic():  # the page that sets a password has opened none
            record(actor=request.user, act="administration_changed", subject=obj)
        return super().log_change(request, obj, message)

    @transaction.atomic
    def delete_model(self, request, obj):
        """Delete a row, and record it."""
        record(actor=request.user, act="administration_deleted", subject=obj)
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request, queryset):
        """Delete several rows, and record each of them."""
        for obj in queryset:
            record(actor=request.user, act="administration_deleted", subject=obj)
        super().delete_queryset(request, queryset)
