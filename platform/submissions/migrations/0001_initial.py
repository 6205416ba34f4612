import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "__first__"),
        ("challenges", "0001_initial"),
        ("registry", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Submission",
            fields=[
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("attempt", models.PositiveSmallIntegerField(default=0, editable=False)),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="when a worker was last asked for it", null=True
                    ),
                ),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField(help_text="counts within team and phase")),
                ("archive_file", models.CharField(blank=True, max_length=300)),
                (
                    "predictions_file",
                    models.CharField(
                        blank=True,
                        help_text="the ZIP that scoring reads: the archive, or what it was repacked to",
                        max_length=300,
                    ),
                ),
                ("archive_name", models.CharField(help_text="as the participant called it", max_length=255)),
                ("archive_size", models.PositiveBigIntegerField()),
                ("archive_sha256", models.CharField(blank=True, max_length=64)),
                ("accept_incomplete", models.BooleanField(default=False)),
                (
                    "is_late",
                    models.BooleanField(default=False, help_text="arrived after the phase closed; never ranked"),
                ),
                (
                    "is_chosen",
                    models.BooleanField(
                        default=False, help_text="chosen by the team for the ranking, where the phase lets it choose"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "waiting for validation"),
                            ("validating", "validating"),
                            ("refused", "refused"),
                            ("held", "waiting for your decision"),
                            ("withdrawn", "withdrawn"),
                            ("accepted", "accepted"),
                            ("scored", "scored"),
                            ("failed", "failed"),
                        ],
                        default="received",
                        max_length=12,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True, help_text="for the participant: why it was refused or failed", max_length=500
                    ),
                ),
                ("report", models.JSONField(blank=True, default=dict, help_text="what validation found")),
                ("log", models.TextField(blank=True, help_text="for organizers")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("state_since", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("validated_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="submissions", to="challenges.phase"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="submissions", to="challenges.team"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="submissions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [
                    models.Index(fields=["phase", "team", "created_at"], name="submissions_phase_i_a47c31_idx"),
                    models.Index(fields=["phase", "user", "created_at"], name="submissions_phase_i_d1e572_idx"),
                    models.Index(fields=["state", "lease_until"], name="submissions_state_db92a4_idx"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("phase", "team", "number"), name="submissions_number_unique"),
                    models.UniqueConstraint(
                        condition=models.Q(("is_chosen", True)),
                        fields=("phase", "team"),
                        name="submissions_one_chosen_submission",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state__in", ["refused", "failed"]), _negated=True),
                            models.Q(("reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="submissions_refusal_has_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TestSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.PositiveSmallIntegerField(default=1)),
                ("name", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("sealed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("manifest_digest", models.CharField(blank=True, editable=False, max_length=64)),
                (
                    "is_active",
                    models.BooleanField(default=False, help_text="the version that new runs are scored against"),
                ),
                (
                    "shared",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        editable=False,
                        help_text="what all cases of a classification or detection have in common, such as the names of the classes",
                    ),
                ),
                (
                    "salt",
                    models.CharField(
                        blank=True, editable=False, help_text="secret part of the manifest", max_length=64
                    ),
                ),
                (
                    "merge_rule",
                    models.CharField(
                        blank=True,
                        editable=False,
                        help_text="how the references of several annotators became one",
                        max_length=30,
                    ),
                ),
                (
                    "change_request",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        help_text="the approved change of the registration that allowed this replacement",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="registry.changerequest",
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="test_sets", to="challenges.phase"
                    ),
                ),
            ],
            options={
                "ordering": ["phase", "-version"],
                "constraints": [
                    models.UniqueConstraint(fields=("phase", "version"), name="submissions_test_set_version_unique"),
                    models.UniqueConstraint(
                        condition=models.Q(("is_active", True)),
                        fields=("phase",),
                        name="submissions_one_active_test_set",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("is_active", False),
                            models.Q(("sealed_at__isnull", False), models.Q(("manifest_digest", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="submissions_active_test_set_is_sealed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TestCase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=150)),
                ("position", models.PositiveIntegerField()),
                ("reference_file", models.CharField(max_length=300)),
                ("reference_sha256", models.CharField(max_length=64)),
                ("image_file", models.CharField(blank=True, help_text="for pictures", max_length=300)),
                (
                    "geometry",
                    models.JSONField(
                        blank=True,
                        help_text="shape, spacing (mm, in array-axis order) and affine of the reference; the kind of objects of a detection",
                    ),
                ),
                ("metadata", models.JSONField(default=dict)),
                (
                    "is_decoy",
                    models.BooleanField(default=False, help_text="asked for like any other case, and not scored"),
                ),
                (
                    "test_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="cases", to="submissions.testset"
                    ),
                ),
            ],
            options={
                "ordering": ["test_set", "position"],
                "constraints": [
                    models.UniqueConstraint(fields=("test_set", "name"), name="submissions_case_name_unique"),
                    models.UniqueConstraint(fields=("test_set", "position"), name="submissions_case_position_unique"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Annotation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "annotator",
                    models.CharField(help_text="an identifier, not the name of a person", max_length=60),
                ),
                ("reference_file", models.CharField(max_length=300)),
                ("reference_sha256", models.CharField(max_length=64)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="annotations",
                        to="submissions.testcase",
                    ),
                ),
            ],
            options={
                "ordering": ["case", "annotator"],
                "constraints": [
                    models.UniqueConstraint(fields=("case", "annotator"), name="submissions_annotator_once_a_case"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("number", models.PositiveSmallIntegerField()),
                (
                    "trigger",
                    models.CharField(
                        choices=[
                            ("submission", "submission"),
                            ("rerun", "re-run by an organizer"),
                            ("test_set", "new version of the test set"),
                        ],
                        default="submission",
                        max_length=12,
                    ),
                ),
                ("assessment_digest", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("scoring", "scoring"),
                            ("scored", "scored"),
                            ("failed", "failed"),
                            ("superseded", "superseded"),
                        ],
                        default="queued",
                        max_length=12,
                    ),
                ),
                (
                    "counts",
                    models.BooleanField(default=False, help_text="the run whose result stands for the submission"),
                ),
                ("cases_total", models.PositiveIntegerField()),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("started_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("finished_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "message",
                    models.CharField(blank=True, help_text="for the participant: what went wrong", max_length=500),
                ),
                ("log", models.TextField(blank=True, help_text="for organizers")),
                (
                    "case_notes",
                    models.JSONField(
                        blank=True, default=dict, help_text="case → why it has no value; safe for participants"
                    ),
                ),
                ("result_file", models.CharField(blank=True, max_length=300)),
                (
                    "evidence_file",
                    models.CharField(
                        blank=True,
                        help_text="what values of the whole data set are made of, case by case",
                        max_length=300,
                    ),
                ),
                (
                    "annotators_file",
                    models.CharField(
                        blank=True,
                        help_text="results under the references of each annotator, where there are several",
                        max_length=300,
                    ),
                ),
                (
                    "decoys",
                    models.JSONField(
                        blank=True, default=dict, help_text="for organizers: decoy case → what was handed in for it"
                    ),
                ),
                (
                    "disentangled_file",
                    models.CharField(
                        blank=True,
                        help_text="of instances: detection, classification and outlines apart, case by case",
                        max_length=300,
                    ),
                ),
                (
                    "disentangled",
                    models.JSONField(
                        blank=True, default=dict, help_text="what pages read of it, with nothing of a single case"
                    ),
                ),
                ("result_digest", models.CharField(blank=True, max_length=64)),
                ("summary", models.JSONField(blank=True, default=dict)),
                (
                    "provenance",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="versions, metrics with all their options, and working points",
                    ),
                ),
                (
                    "triggered_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="submissions.submission"
                    ),
                ),
                (
                    "test_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="submissions.testset"
                    ),
                ),
            ],
            options={
                "ordering": ["submission", "number"],
                "indexes": [models.Index(fields=["state", "queued_at"], name="submissions_state_dff21f_idx")],
                "constraints": [
                    models.UniqueConstraint(fields=("submission", "number"), name="submissions_run_number_unique"),
                    models.UniqueConstraint(
                        condition=models.Q(("counts", True)), fields=("submission",), name="submissions_one_counted_run"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "scoring"])),
                        fields=("submission",),
                        name="submissions_one_unfinished_run",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("finished_at__isnull", False),
                                ("state__in", ["scored", "superseded"]),
                                models.Q(("result_file", ""), _negated=True),
                                models.Q(("result_digest", ""), _negated=True),
                            ),
                            models.Q(
                                ("evidence_file", ""),
                                ("result_digest", ""),
                                ("result_file", ""),
                                ("state__in", ["queued", "scoring", "failed"]),
                            ),
                            _connector="OR",
                        ),
                        name="submissions_result_exactly_when_scored",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("counts", False), ("state", "scored"), _connector="OR"),
                        name="submissions_counted_run_is_scored",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TestSetArchive",
            fields=[
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("attempt", models.PositiveSmallIntegerField(default=0, editable=False)),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="when a worker was last asked for it", null=True
                    ),
                ),
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("file_name", models.CharField(max_length=255)),
                ("size", models.PositiveBigIntegerField()),
                ("replaces", models.BooleanField(help_text="takes the place of a version that is there")),
                ("reason", models.TextField(blank=True)),
                (
                    "merge_rule",
                    models.CharField(
                        blank=True,
                        help_text="how references of several annotators become one, where no design says it",
                        max_length=30,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting for a worker"),
                            ("checking", "being checked"),
                            ("sealed", "sealed"),
                            ("refused", "refused"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("problems", models.TextField(blank=True, help_text="for organizers: one problem a line")),
                (
                    "pieces",
                    models.JSONField(editable=False, help_text="the files that the archive is kept in, in their order"),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("finished_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="test_set_archives",
                        to="challenges.phase",
                    ),
                ),
                (
                    "test_set",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="archive",
                        to="submissions.testset",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "checking"])),
                        fields=("phase",),
                        name="submissions_one_open_test_set_archive",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("replaces", False), models.Q(("reason", ""), _negated=True), _connector="OR"
                        ),
                        name="submissions_replacement_has_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "sealed"), ("test_set__isnull", False)),
                            models.Q(models.Q(("state", "sealed"), _negated=True), ("test_set__isnull", True)),
                            _connector="OR",
                        ),
                        name="submissions_archive_with_test_set_exactly_when_sealed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="TestSetUpload",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("file_name", models.CharField(max_length=255)),
                (
                    "size",
                    models.PositiveBigIntegerField(help_text="bytes, as declared before the first of them arrived"),
                ),
                ("offset", models.PositiveBigIntegerField(default=0, help_text="bytes received and kept")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("receiving", "receiving"),
                            ("complete", "complete"),
                            ("refused", "refused"),
                            ("cancelled", "cancelled"),
                            ("expired", "expired"),
                        ],
                        default="receiving",
                        max_length=12,
                    ),
                ),
                (
                    "refusal",
                    models.CharField(blank=True, help_text="why nothing became of it", max_length=500),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                ("reason", models.TextField(blank=True)),
                ("merge_rule", models.CharField(blank=True, max_length=30)),
                (
                    "pieces",
                    models.JSONField(default=list, editable=False, help_text="the encrypted files, in their order"),
                ),
                (
                    "archive",
                    models.OneToOneField(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="upload",
                        to="submissions.testsetarchive",
                    ),
                ),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="test_set_uploads",
                        to="challenges.phase",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [models.Index(fields=["state", "expires_at"], name="submissions_state_f1b296_idx")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("offset__lte", models.F("size"))),
                        name="submissions_test_set_upload_within_size",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "complete"), _negated=True),
                            ("offset", models.F("size")),
                            _connector="OR",
                        ),
                        name="submissions_complete_test_set_upload_is_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("file_name", models.CharField(max_length=255)),
                (
                    "size",
                    models.PositiveBigIntegerField(help_text="bytes, as declared before the first of them arrived"),
                ),
                ("offset", models.PositiveBigIntegerField(default=0, help_text="bytes received and kept")),
                (
                    "accept_incomplete",
                    models.BooleanField(default=False, help_text="score without asking when cases are missing"),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("receiving", "receiving"),
                            ("complete", "complete"),
                            ("refused", "refused"),
                            ("cancelled", "cancelled"),
                            ("expired", "expired"),
                        ],
                        default="receiving",
                        max_length=12,
                    ),
                ),
                (
                    "refusal",
                    models.CharField(blank=True, help_text="why nothing became of it", max_length=500),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField()),
                (
                    "phase",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="challenges.phase"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uploads", to="challenges.team"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "indexes": [models.Index(fields=["state", "expires_at"], name="submissions_state_e2ad15_idx")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("offset__lte", models.F("size"))), name="submissions_upload_within_size"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "complete"), _negated=True),
                            ("offset", models.F("size")),
                            _connector="OR",
                        ),
                        name="submissions_complete_upload_is_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Multipart",
            fields=[
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="multipart",
                        serialize=False,
                        to="submissions.upload",
                    ),
                ),
                (
                    "name",
                    models.CharField(help_text="of the object that its parts become", max_length=300, unique=True),
                ),
                (
                    "store_id",
                    models.CharField(blank=True, help_text="the store's id of this upload", max_length=1024),
                ),
                ("part_bytes", models.PositiveBigIntegerField(help_text="size of all parts but the last")),
                (
                    "checksum",
                    models.CharField(
                        blank=True,
                        help_text="over the digests of all parts, once their sender has named them",
                        max_length=60,
                    ),
                ),
                (
                    "is_open",
                    models.BooleanField(
                        default=True, help_text="the store may hold something of it that is no submission's"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["is_open"], name="submissions_is_open_e056b9_idx")],
            },
        ),
        migrations.AddField(
            model_name="submission",
            name="upload",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="submission", to="submissions.upload"
            ),
        ),
        migrations.CreateModel(
            name="Chunk",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("attempt", models.PositiveSmallIntegerField(default=0, editable=False)),
                (
                    "sent_at",
                    models.DateTimeField(
                        blank=True, editable=False, help_text="when a worker was last asked for it", null=True
                    ),
                ),
                ("index", models.PositiveIntegerField()),
                ("cases", models.JSONField()),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("scoring", "scoring"), ("done", "done")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("cases_total", models.PositiveIntegerField()),
                ("cases_done", models.PositiveIntegerField(default=0)),
                ("rows", models.JSONField(blank=True, null=True)),
                (
                    "pieces",
                    models.JSONField(
                        blank=True, help_text="case → what it adds to the values of the whole data set", null=True
                    ),
                ),
                (
                    "notes",
                    models.JSONField(
                        blank=True, default=dict, help_text="case → why it has no value; safe for participants"
                    ),
                ),
                (
                    "annotator_rows",
                    models.JSONField(blank=True, help_text="annotator, case, rows of results, and pieces", null=True),
                ),
                (
                    "decoys",
                    models.JSONField(blank=True, help_text="decoy case → what was handed in for it", null=True),
                ),
                (
                    "disentangled",
                    models.JSONField(
                        blank=True,
                        help_text="case → what detection, classification and outlines are rated by",
                        null=True,
                    ),
                ),
                ("log", models.TextField(blank=True, help_text="for organizers")),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="chunks", to="submissions.run"
                    ),
                ),
            ],
            options={
                "ordering": ["run", "index"],
                "indexes": [models.Index(fields=["state", "lease_until"], name="submissions_state_588849_idx")],
                "constraints": [
                    models.UniqueConstraint(fields=("run", "index"), name="submissions_chunk_index_unique"),
                    models.CheckConstraint(
                        condition=models.Q(("cases_done__lte", models.F("cases_total"))),
                        name="submissions_chunk_progress_within_total",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("result_digest", models.CharField(max_length=64)),
                ("scores", models.JSONField(default=list)),
                ("marks", models.JSONField(default=dict)),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="release", to="submissions.submission"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MethodDescription",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entries", models.JSONField(default=dict)),
                ("filled", models.PositiveSmallIntegerField(help_text="required parameters that say something")),
                ("required", models.PositiveSmallIntegerField()),
                ("is_complete", models.BooleanField()),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "changed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="method", to="submissions.submission"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("filled__lte", models.F("required")),
                            models.Q(
                                models.Q(("filled", models.F("required")), ("is_complete", True)),
                                models.Q(
                                    ("is_complete", False), models.Q(("filled", models.F("required")), _negated=True)
                                ),
                                _connector="OR",
                            ),
                        ),
                        name="submissions_method_complete_exactly_when_filled",
                    )
                ],
            },
        ),
    ]
