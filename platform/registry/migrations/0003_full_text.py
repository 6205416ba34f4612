"""An index for the full text search of PostgreSQL; SQLite searches word by word without one."""

from django.db import migrations

# Word for word the expression that `registry.queries.search` makes, or the index would never be used.
CREATE = """
CREATE INDEX registry_listing_full_text ON registry_listing
USING gin (to_tsvector('english'::regconfig, COALESCE("text", '')))
"""


def create(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(CREATE)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX registry_listing_full_text")


class Migration(migrations.Migration):
    dependencies = [("registry", "0002_immutable")]
    operations = [migrations.RunPython(create, drop)]
