"""The database itself refuses to change or delete timestamps."""

from django.db import migrations

from core.audit.immutable import keep_rows


class Migration(migrations.Migration):
    dependencies = [("registry", "0004_timestamps")]
    operations = [keep_rows({"registry_timestamp": "A timestamp is immutable."})]
