"""The database itself refuses to change or delete a deviation: it stays marked for good."""

from django.db import migrations

from core.audit.immutable import keep_rows

TABLES = {
    "challenges_deviation": "A deviation stays marked for good.",
}


class Migration(migrations.Migration):
    dependencies = [("challenges", "0001_initial")]
    operations = [keep_rows(TABLES)]
