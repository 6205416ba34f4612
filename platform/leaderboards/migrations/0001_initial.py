import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "__first__"),
        ("challenges", "0001_initial"),
        ("designs", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="RankingVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "inputs",
                    models.JSONField(
                        help_text="assessment digest, versions and, team by team, the result that counted"
                    ),
                ),
                ("inputs_digest", models.CharField(max_length=64)),
                ("assessment_digest", models.CharField(max_length=64)),
                ("seed", models.PositiveBigIntegerField()),
                ("bootstrap", models.PositiveIntegerField()),
                ("cases", models.PositiveIntegerField()),
                ("digest", models.CharField(help_text="SHA-256 of the ranking document", max_length=64)),
                ("versions", models.JSONField(default=dict)),
                ("sentences", models.JSONField(default=dict, help_text="order → what it says")),
                ("table", models.JSONField(help_text="what the pages show, see leaderboards.tables")),
                (
                    "document_name",
                    models.CharField(help_text="the ranking document in the private storage", max_length=200),
                ),
                (
                    "metadata_name",
                    models.CharField(
                        blank=True,
                        help_text="the case metadata that it depends on, in the private storage",
                        max_length=200,
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rankings", to="challenges.phase"
                    ),
                ),
            ],
            options={
                "ordering": ["phase", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("phase", "number"), name="leaderboards_version_number_once"),
                    models.UniqueConstraint(fields=("phase", "inputs_digest"), name="leaderboards_version_inputs_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Analysis",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "figures",
                    models.JSONField(default=dict, help_text="figure name → order → file in the private storage"),
                ),
                ("sentences", models.JSONField(default=dict, help_text="order → what the comparisons say")),
                (
                    "findings",
                    models.JSONField(default=dict, help_text="tables of the tabs, by name of the step that made them"),
                ),
                ("steps", models.JSONField(default=list, help_text="names of the steps that are done")),
                (
                    "total",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="how many steps there are; 0 before the first one"
                    ),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "lease_until",
                    models.DateTimeField(blank=True, help_text="a worker is at it until then at most", null=True),
                ),
                ("lease", models.CharField(blank=True, help_text="token of that worker", max_length=32)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="begun since the last step that ended"),
                ),
                ("failures", models.JSONField(default=dict, help_text="step → why it failed; for organizers")),
                (
                    "version",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="analysis",
                        to="leaderboards.rankingversion",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "analyses",
                "indexes": [
                    models.Index(
                        condition=models.Q(("finished_at", None)), fields=["version"], name="leaderboards_unfinished"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("finished_at", None), ("total__gt", 0), _connector="OR"),
                        name="leaderboards_finished_analysis_had_steps",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(help_text="counts within the challenge")),
                (
                    "kind",
                    models.CharField(
                        choices=[("challenge", "report of the challenge"), ("team", "report of a team")],
                        default="challenge",
                        max_length=10,
                    ),
                ),
                (
                    "audience",
                    models.CharField(
                        choices=[
                            ("organizers", "organizers"),
                            ("public", "everybody, once it is published"),
                            ("team", "the team and the organizers"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "inputs",
                    models.JSONField(
                        help_text="the facts that it is made of; public part and digests, no result of a case"
                    ),
                ),
                ("inputs_digest", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "waiting for a worker"),
                            ("working", "being made"),
                            ("done", "made"),
                            ("failed", "failed"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("step", models.PositiveSmallIntegerField(default=0)),
                ("steps", models.PositiveSmallIntegerField(default=0)),
                ("doing", models.CharField(blank=True, max_length=120)),
                ("failure", models.TextField(blank=True, help_text="why it failed; for organizers")),
                ("lease", models.CharField(blank=True, help_text="token of the worker that makes it", max_length=32)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("seconds", models.FloatField(blank=True, help_text="how long it took", null=True)),
                ("digest", models.CharField(blank=True, help_text="SHA-256 of its content", max_length=64)),
                (
                    "content_name",
                    models.CharField(blank=True, help_text="its content in the private storage", max_length=200),
                ),
                ("files", models.JSONField(default=dict, help_text="format or figure → file in the private storage")),
                ("score", models.JSONField(default=dict, help_text="items of the guideline: covered, drafts, open")),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="reports", to="challenges.challenge"
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="challenges.phase",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to="challenges.team",
                    ),
                ),
            ],
            options={
                "ordering": ["challenge", "number"],
                "indexes": [models.Index(fields=["state", "lease_until"], name="leaderboard_state_619252_idx")],
                "constraints": [
                    models.UniqueConstraint(fields=("challenge", "number"), name="leaderboards_report_number_once"),
                    models.UniqueConstraint(
                        fields=("challenge", "inputs_digest"), name="leaderboards_report_inputs_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("audience__in", ["organizers", "public"]),
                                ("kind", "challenge"),
                                ("phase", None),
                                ("team", None),
                            ),
                            models.Q(
                                ("audience", "team"),
                                ("kind", "team"),
                                ("phase__isnull", False),
                                ("team__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="leaderboards_report_has_its_subject",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "done"), _negated=True),
                            models.Q(
                                models.Q(("content_name", ""), _negated=True),
                                models.Q(("digest", ""), _negated=True),
                                ("finished_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="leaderboards_report_done_has_content",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("failure", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="leaderboards_report_failure_has_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportSettings",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("published_at", models.DateTimeField(blank=True, null=True)),
                (
                    "challenge",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="report_settings",
                        to="challenges.challenge",
                    ),
                ),
                (
                    "design_version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="designs.designversion",
                    ),
                ),
                (
                    "published",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="leaderboards.report",
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "report settings",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("published__isnull", True), ("published_at__isnull", True)),
                            models.Q(("published__isnull", False), ("published_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="leaderboards_published_report_has_date",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportText",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("item", models.CharField(help_text="number of the guideline", max_length=4)),
                ("text", models.TextField(blank=True)),
                ("based_on", models.TextField(blank=True)),
                ("revision", models.PositiveIntegerField(default=1)),
                ("written_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "challenge",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="report_texts",
                        to="challenges.challenge",
                    ),
                ),
            ],
            options={
                "ordering": ["challenge", "item"],
                "constraints": [
                    models.UniqueConstraint(fields=("challenge", "item"), name="leaderboards_report_text_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Standing",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("since", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("score", "a submission was scored"),
                            ("rerun", "a submission was scored again"),
                            ("closed", "the phase closed"),
                            ("change", "the teams or the submissions that count changed"),
                            ("request", "an organizer asked for it"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "changes",
                    models.JSONField(
                        default=dict, help_text="teams added, removed and changed against the standing before"
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="standings", to="challenges.phase"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="standings",
                        to="leaderboards.rankingversion",
                    ),
                ),
            ],
            options={
                "ordering": ["phase", "since", "pk"],
                "indexes": [models.Index(fields=["phase", "since"], name="leaderboard_phase_i_49b899_idx")],
            },
        ),
        migrations.CreateModel(
            name="Freeze",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "hours",
                    models.PositiveSmallIntegerField(
                        help_text="so long before the phase closes the public ranking stops moving"
                    ),
                ),
                (
                    "phase",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="freeze", to="challenges.phase"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("hours__gt", 0)), name="leaderboards_freeze_has_hours")
                ],
            },
        ),
        migrations.CreateModel(
            name="RankingRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("requested", models.PositiveIntegerField(default=0)),
                ("computed", models.PositiveIntegerField(default=0)),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("score", "a submission was scored"),
                            ("rerun", "a submission was scored again"),
                            ("closed", "the phase closed"),
                            ("change", "the teams or the submissions that count changed"),
                            ("request", "an organizer asked for it"),
                        ],
                        default="score",
                        max_length=10,
                    ),
                ),
                (
                    "lease_until",
                    models.DateTimeField(blank=True, help_text="a worker computes it until then at most", null=True),
                ),
                ("lease", models.CharField(blank=True, help_text="token of that worker", max_length=32)),
                (
                    "attempts",
                    models.PositiveSmallIntegerField(default=0, help_text="begun since the last one that ended"),
                ),
                ("failure", models.TextField(blank=True, help_text="why the last attempt failed; for organizers")),
                (
                    "progress",
                    models.JSONField(
                        default=list, help_text="tables ranked so far and their number, while one is computed"
                    ),
                ),
                (
                    "nothing_counts",
                    models.BooleanField(
                        default=False,
                        help_text="when it was last computed, no result counted: whatever stood before stands no more",
                    ),
                ),
                (
                    "begun",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="of a ranking that is computed in slices: digest and runs of its inputs, and what it answers",
                    ),
                ),
                (
                    "phase",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="ranking_request",
                        to="challenges.phase",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("computed__lte", models.F("requested"))),
                        name="leaderboards_computed_was_requested",
                    )
                ],
            },
        ),
    ]
