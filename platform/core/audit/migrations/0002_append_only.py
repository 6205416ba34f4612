"""The database itself refuses to change or delete what the audit log holds."""

from django.db import migrations

SQLITE = """
CREATE TRIGGER audit_entry_no_{act} BEFORE {act_upper} ON audit_entry
BEGIN SELECT RAISE(ABORT, 'The audit log is append-only.'); END;
"""

POSTGRESQL = """
CREATE FUNCTION audit_entry_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'The audit log is append-only.'; END $$;
CREATE TRIGGER audit_entry_no_change BEFORE UPDATE OR DELETE ON audit_entry
FOR EACH ROW EXECUTE FUNCTION audit_entry_append_only();
"""


def forbid(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "sqlite":
        for act in ("update", "delete"):
            schema_editor.execute(SQLITE.format(act=act, act_upper=act.upper()))
    elif vendor == "postgresql":
        schema_editor.execute(POSTGRESQL)


def permit(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    if vendor == "sqlite":
        for act in ("update", "delete"):
            schema_editor.execute(f"DROP TRIGGER audit_entry_no_{act}")
    elif vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION audit_entry_append_only() CASCADE")


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]
    operations = [migrations.RunPython(forbid, permit)]
