"""The database itself refuses to change or delete decisions on changes."""

from django.db import migrations

from core.audit.immutable import keep_rows


class Migration(migrations.Migration):
    dependencies = [("changes", "0001_initial")]
    operations = [keep_rows({"changes_changedecision": "A decision stands."})]
