"""When reviewers were written to: until now, the moment they were assigned."""

from django.db import migrations, models
from django.db.models import F


def told_when_assigned(apps, schema_editor):
    assignments = apps.get_model("reviews", "Assignment")
    assignments.objects.using(schema_editor.connection.alias).update(told_at=F("assigned_at"))


class Migration(migrations.Migration):
    dependencies = [("reviews", "0002_immutable")]
    operations = [
        migrations.AddField(
            model_name="assignment",
            name="told_at",
            field=models.DateTimeField(blank=True, help_text="when the reviewer was written to", null=True),
        ),
        migrations.RunPython(told_when_assigned, migrations.RunPython.noop),
    ]
