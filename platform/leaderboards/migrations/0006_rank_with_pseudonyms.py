from django.db import migrations
from django.db.models import F


def rank_with_pseudonyms(apps, schema_editor):
    """Request rankings with pseudonyms where not every team is named, and the figures over time of all phases.

    Versions that were computed before keep their rows, files and digests. They are withheld from the public where one of
    their teams may not be named. A worker computes the new versions after the upgrade.
    """
    request = apps.get_model("leaderboards", "RankingRequest")
    pseudonymous = request.objects.exclude(phase__announcement="all")
    pseudonymous.update(requested=F("requested") + 1, attempts=0, cause="change")
    follow_up = apps.get_model("leaderboards", "FollowUp")
    follow_up.objects.update(requested=F("requested") + 1, attempts=0, is_ranked=True)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0005_pseudonyms'),
    ]

    operations = [
        migrations.RunPython(rank_with_pseudonyms, migrations.RunPython.noop),
    ]
