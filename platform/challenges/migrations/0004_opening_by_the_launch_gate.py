from django.db import migrations, models


def fill(apps, schema_editor):
    """Copy the opening of the launch gate to the phases that it let open; a later phase opened with its first version."""
    phases = apps.get_model("challenges", "Phase")
    opened = phases.objects.filter(is_held=False, task__challenge__projection__opened_at__isnull=False)
    for phase in opened.annotate(
        gate=models.F("task__challenge__projection__opened_at"), first=models.Min("assessments__since")
    ):
        phases.objects.filter(pk=phase.pk).update(admits_from=max(phase.gate, phase.first or phase.gate))


class Migration(migrations.Migration):
    dependencies = [("challenges", "0003_algorithms")]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="admits_from",
            field=models.DateTimeField(
                blank=True,
                editable=False,
                help_text="earliest opening, where the launch gate opened after opens_at",
                null=True,
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
