from django.contrib import admin

from challenges.models import Challenge, Member, Organizer, Phase, Projection, Task, Team
from challenges.queries.planning import PROJECTED_FIELDS
from core.audit.admin import RecordedAdmin


class OrganizerInline(admin.TabularInline):
    model = Organizer
    extra = 0


@admin.register(Challenge)
class ChallengeAdmin(RecordedAdmin):
    """Administration of challenges.

    Registered content is only changed by a change request, never here. The launch gate cannot be bypassed here
    either.
    """

    list_display = ["title", "slug", "is_public", "created_at"]
    inlines = [OrganizerInline]

    def get_readonly_fields(self, request, obj=None):  # noqa: ARG002 (Django's signature)
        if obj is None or not Projection.objects.filter(challenge=obj).exists():
            return []
        return [*PROJECTED_FIELDS["challenge"], "slug", "is_public"]

    def has_delete_permission(self, request, obj=None):
        if obj is not None and Projection.objects.filter(challenge=obj).exists():
            return False
        return super().has_delete_permission(request, obj)


@admin.register(Task)
class TaskAdmin(RecordedAdmin):
    """Tasks of a registered design are looked at."""

    list_display = ["name", "challenge", "position"]

    def get_readonly_fields(self, request, obj=None):  # noqa: ARG002 (Django's signature)
        if obj is None or not Projection.objects.filter(challenge=obj.challenge_id).exists():
            return []
        return [*PROJECTED_FIELDS["task"], "slug", "challenge"]


@admin.register(Phase)
class PhaseAdmin(RecordedAdmin):
    """Phases are made and closed by services only; here they are looked at."""

    list_display = ["name", "task", "opens_at", "closes_at", "closed_at"]
    readonly_fields = [field.name for field in Phase._meta.fields]  # noqa: SLF001 (Django's public way to list fields)

    def has_add_permission(self, request):  # noqa: ARG002 (Django's signature)
        return False

    def has_delete_permission(self, request, obj=None):  # noqa: ARG002 (Django's signature)
        return False


admin.site.register([Team, Member], RecordedAdmin)
