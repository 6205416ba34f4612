import json

from django.db import migrations


def compose(apps, schema_editor):
    """Compose the rules of launched challenges as sentences. What participants accepted stays as it was stored."""
    from challenges.queries.composed_rules import composed_rules, rules_of_phase, rules_text
    from evaluation.designs.catalogue import shipped
    from evaluation.designs.document import from_json

    projections = apps.get_model("challenges", "Projection").objects.select_related("challenge", "version")
    phases = apps.get_model("challenges", "Phase").objects.filter(task__removed_at=None).select_related("task")
    for projection in projections:
        rows = list(phases.filter(task__challenge=projection.challenge).order_by("task__position", "position"))
        several = len({row.task_id for row in rows}) > 1
        labelled = [(row, f"{row.task.name}: {row.name}" if several else row.name) for row in rows]
        document, _ = from_json(json.loads(projection.version.canonical), catalogue=shipped(), lenient=True)
        rules = composed_rules([rules_of_phase(row, label) for row, label in labelled], document.values())
        projection.challenge.rules_text = rules_text(rules)
        projection.challenge.save(update_fields=["rules_text"])


class Migration(migrations.Migration):
    dependencies = [("challenges", "0004_opening_by_the_launch_gate")]

    operations = [migrations.RunPython(compose, migrations.RunPython.noop)]
