from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError

from designs import services
from designs.models import Collaborator, Design, DesignVersion, TextOverride
from designs.queries import texts
from evaluation.designs.catalogue import shipped


class TextOverrideForm(forms.ModelForm):
    parameter = forms.ChoiceField(
        choices=lambda: [(parameter.id, parameter.label) for parameter in shipped().parameters.values()]
    )

    class Meta:
        model = TextOverride
        fields = ["parameter", "text_name", "text"]

    def clean_text(self):
        text = self.cleaned_data["text"].strip()
        if not text:
            raise ValidationError("Delete the row to return to the delivered text.")
        return text


@admin.register(TextOverride)
class TextOverrideAdmin(admin.ModelAdmin):
    """Texts of the form (REV-3): label, definition and reason of every parameter."""

    form = TextOverrideForm
    list_display = ["parameter", "text_name", "text", "changed_at"]
    list_filter = ["text_name"]
    search_fields = ["parameter", "text"]

    def save_model(self, request, obj, form, change):  # noqa: ARG002 (Django's signature)
        services.override_text(actor=request.user, override=obj)

    def delete_model(self, request, obj):
        services.remove_text_override(actor=request.user, override=obj)

    def delete_queryset(self, request, queryset):
        for override in queryset:
            services.remove_text_override(actor=request.user, override=override)
        texts.forget()


class CollaboratorInline(admin.TabularInline):
    model = Collaborator
    extra = 0


@admin.register(Design)
class DesignAdmin(admin.ModelAdmin):
    list_display = ["title", "slug", "is_public", "legacy_import", "changed_at"]
    inlines = [CollaboratorInline]


@admin.register(DesignVersion)
class DesignVersionAdmin(admin.ModelAdmin):
    """Versions are looked at here; they cannot be changed."""

    list_display = ["design", "number", "name", "digest", "created_at"]
    exclude = ["sealed"]
    readonly_fields = [field.name for field in DesignVersion._meta.fields if field.name != "sealed"]  # noqa: SLF001

    def has_add_permission(self, request):  # noqa: ARG002 (Django's signature)
        return False

    def has_change_permission(self, request, obj=None):  # noqa: ARG002 (Django's signature)
        return False

    def has_delete_permission(self, request, obj=None):  # noqa: ARG002 (Django's signature)
        return False
