"""The database itself refuses to change or delete versions, the history of fields and proofs of opened embargoes."""

from django.db import migrations

from core.audit.immutable import keep_rows

TABLES = {
    "designs_designversion": "A version of a design is immutable.",
    "designs_fieldchange": "The history of a design is append-only.",
    "designs_openedembargo": "The proof of an opened embargo is immutable.",
}


class Migration(migrations.Migration):
    dependencies = [("designs", "0001_initial")]
    operations = [keep_rows(TABLES)]
