from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from accounts.models import User
from core.audit.admin import RecordedAdmin


@admin.register(User)
class RecordedUserAdmin(RecordedAdmin, UserAdmin):
    """Administration of accounts."""
