"""The database itself refuses to change or delete registered versions, opened values and decisions on changes."""

from django.db import migrations

from audit.immutable import keep_rows

TABLES = {
    "registry_registrationversion": "A registered version is immutable.",
    "registry_disclosure": "An opened value stays as it was opened.",
    "registry_changedecision": "A decision stands.",
}


class Migration(migrations.Migration):
    dependencies = [("registry", "0001_initial")]
    operations = [keep_rows(TABLES)]
