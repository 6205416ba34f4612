"""The database itself keeps what was filed, sent and decided, and that a transition goes on where the last one ended."""

from django.db import migrations

TABLES = {
    "reviews_transition": "A change of state is final.",
    "reviews_decision": "A decision is final.",
    "reviews_filedversion": "What was filed is final.",
    "reviews_sentreview": "What was sent is final.",
}
CHAIN = (
    "NEW.predecessor_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM reviews_transition AS p WHERE "
    "p.id = NEW.predecessor_id AND p.filing_id = NEW.filing_id AND p.to_state = NEW.from_state)"
)
BROKEN = "A change of state goes on where the last one ended."


def forbid(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table, message in TABLES.items():
        if vendor == "sqlite":
            for act in ("UPDATE", "DELETE"):
                schema_editor.execute(
                    f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                    f"BEGIN SELECT RAISE(ABORT, '{message}'); END;"
                )
        elif vendor == "postgresql":
            schema_editor.execute(
                f"CREATE FUNCTION {table}_immutable() RETURNS trigger LANGUAGE plpgsql AS $$ "
                f"BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$; "
                f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} "
                f"FOR EACH ROW EXECUTE FUNCTION {table}_immutable();"
            )
    if vendor == "sqlite":
        schema_editor.execute(
            "CREATE TRIGGER reviews_transition_chain BEFORE INSERT ON reviews_transition "
            f"WHEN {CHAIN} BEGIN SELECT RAISE(ABORT, '{BROKEN}'); END;"
        )
    elif vendor == "postgresql":
        schema_editor.execute(
            "CREATE FUNCTION reviews_transition_chained() RETURNS trigger LANGUAGE plpgsql AS $$ "
            f"BEGIN IF {CHAIN} THEN RAISE EXCEPTION '{BROKEN}' "
            "USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN NEW; END $$; "
            "CREATE TRIGGER reviews_transition_chain BEFORE INSERT ON reviews_transition "
            "FOR EACH ROW EXECUTE FUNCTION reviews_transition_chained();"
        )


def permit(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    for table in TABLES:
        if vendor == "sqlite":
            for act in ("update", "delete"):
                schema_editor.execute(f"DROP TRIGGER {table}_no_{act}")
        elif vendor == "postgresql":
            schema_editor.execute(f"DROP FUNCTION {table}_immutable() CASCADE")
    if vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER reviews_transition_chain")
    elif vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION reviews_transition_chained() CASCADE")


class Migration(migrations.Migration):
    dependencies = [("reviews", "0001_initial")]
    operations = [migrations.RunPython(forbid, permit)]
