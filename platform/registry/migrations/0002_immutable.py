"""The database itself refuses to change or delete registered versions and opened values."""

from django.db import migrations

from core.audit.immutable import keep_rows

TABLES = {
    "registry_registrationversion": "A registered version is immutable.",
    "registry_disclosure": "An opened value stays as it was opened.",
}


class Migration(migrations.Migration):
    dependencies = [("registry", "0001_initial")]
    operations = [keep_rows(TABLES)]
