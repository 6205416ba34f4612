import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('challenges', '0001_initial'),
        ('test_sets', '0001_initial'),
        ('uploads', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Submission',
                    fields=[
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('number', models.PositiveIntegerField(help_text='counts within team and phase')),
                        ('archive_file', models.CharField(blank=True, max_length=300)),
                        ('predictions_file', models.CharField(blank=True, help_text='the ZIP that scoring reads: the archive, or what it was repacked to', max_length=300)),
                        ('archive_name', models.CharField(help_text='as the participant called it', max_length=255)),
                        ('archive_size', models.PositiveBigIntegerField()),
                        ('archive_sha256', models.CharField(blank=True, max_length=64)),
                        ('accept_incomplete', models.BooleanField(default=False)),
                        ('is_late', models.BooleanField(default=False, help_text='arrived after the phase closed; never ranked')),
                        ('is_chosen', models.BooleanField(default=False, help_text='chosen by the team for the ranking, where the phase lets it choose')),
                        ('method_number', models.PositiveSmallIntegerField(blank=True, help_text="as which of its team's methods it was chosen, from 1 on", null=True)),
                        ('state', models.CharField(choices=[('received', 'waiting for validation'), ('validating', 'validating'), ('refused', 'refused'), ('held', 'waiting for your decision'), ('withdrawn', 'withdrawn'), ('accepted', 'accepted'), ('scored', 'scored'), ('failed', 'failed')], default='received', max_length=12)),
                        ('reason', models.CharField(blank=True, help_text='for the participant: why it was refused or failed', max_length=500)),
                        ('is_charged', models.BooleanField(default=False, help_text='refused, but counts towards the quota: it would have unpacked to what no archive does')),
                        ('report', models.JSONField(blank=True, default=dict, help_text='what validation found')),
                        ('log', models.TextField(blank=True, help_text='for organizers')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('state_since', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('validated_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='challenges.phase')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='challenges.team')),
                        ('upload', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='submission', to='uploads.upload')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'indexes': [models.Index(fields=['phase', 'team', 'created_at'], name='submissions_phase_i_a47c31_idx'), models.Index(fields=['phase', 'user', 'created_at'], name='submissions_phase_i_d1e572_idx'), models.Index(fields=['state', 'lease_until'], name='submissions_state_db92a4_idx')],
                        'constraints': [models.UniqueConstraint(fields=('phase', 'team', 'number'), name='submissions_number_unique'), models.UniqueConstraint(condition=models.Q(('is_chosen', True)), fields=('phase', 'team', 'method_number'), name='submissions_one_chosen_a_method'), models.CheckConstraint(condition=models.Q(models.Q(('is_chosen', True), ('method_number__gte', 1)), models.Q(('is_chosen', False), ('method_number__isnull', True)), _connector='OR'), name='submissions_chosen_as_a_method'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['refused', 'failed']), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='submissions_refusal_has_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Run',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('number', models.PositiveSmallIntegerField()),
                        ('trigger', models.CharField(choices=[('submission', 'submission'), ('rerun', 're-run by an organizer'), ('test_set', 'new version of the test set')], default='submission', max_length=12)),
                        ('assessment_digest', models.CharField(max_length=64)),
                        ('state', models.CharField(choices=[('queued', 'queued'), ('scoring', 'scoring'), ('scored', 'scored'), ('failed', 'failed'), ('superseded', 'superseded')], default='queued', max_length=12)),
                        ('counts', models.BooleanField(default=False, help_text='the run whose result stands for the submission')),
                        ('cases_total', models.PositiveIntegerField()),
                        ('queued_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('started_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('finished_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('message', models.CharField(blank=True, help_text='for the participant: what went wrong', max_length=500)),
                        ('log', models.TextField(blank=True, help_text='for organizers')),
                        ('case_notes', models.JSONField(blank=True, default=dict, help_text='case → why it has no value; safe for participants')),
                        ('result_file', models.CharField(blank=True, max_length=300)),
                        ('evidence_file', models.CharField(blank=True, help_text='what values of the whole data set are made of, case by case', max_length=300)),
                        ('annotators_file', models.CharField(blank=True, help_text='results under the references of each annotator, where there are several', max_length=300)),
                        ('decoys', models.JSONField(blank=True, default=dict, help_text='for organizers: decoy case → what was handed in for it')),
                        ('disentangled_file', models.CharField(blank=True, help_text='of instances: detection, classification and outlines apart, case by case', max_length=300)),
                        ('disentangled', models.JSONField(blank=True, default=dict, help_text='what pages read of it, with nothing of a single case')),
                        ('result_digest', models.CharField(blank=True, max_length=64)),
                        ('summary', models.JSONField(blank=True, default=dict)),
                        ('provenance', models.JSONField(blank=True, default=dict, help_text='versions, metrics with all their options, and working points')),
                        ('test_set', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='test_sets.testset')),
                        ('triggered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='submissions.submission')),
                    ],
                    options={
                        'ordering': ['submission', 'number'],
                        'indexes': [models.Index(fields=['state', 'queued_at'], name='submissions_state_dff21f_idx')],
                        'constraints': [models.UniqueConstraint(fields=('submission', 'number'), name='submissions_run_number_unique'), models.UniqueConstraint(condition=models.Q(('counts', True)), fields=('submission',), name='submissions_one_counted_run'), models.UniqueConstraint(condition=models.Q(('state__in', ['queued', 'scoring'])), fields=('submission',), name='submissions_one_unfinished_run'), models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', False), ('state__in', ['scored', 'superseded']), models.Q(('result_file', ''), _negated=True), models.Q(('result_digest', ''), _negated=True)), models.Q(('evidence_file', ''), ('result_digest', ''), ('result_file', ''), ('state__in', ['queued', 'scoring', 'failed'])), _connector='OR'), name='submissions_result_exactly_when_scored'), models.CheckConstraint(condition=models.Q(('counts', False), ('state', 'scored'), _connector='OR'), name='submissions_counted_run_is_scored')],
                    },
                ),
                migrations.CreateModel(
                    name='Rescoring',
                    fields=[
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('runs', models.PositiveSmallIntegerField(help_text='how many runs it had when this was asked for')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('state', models.CharField(choices=[('waiting', 'waiting for a worker'), ('done', 'begun, or no longer to be done')], default='waiting', max_length=10)),
                        ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rescorings', to='submissions.submission')),
                    ],
                    options={
                        'ordering': ['created_at'],
                        'indexes': [models.Index(fields=['state', 'created_at'], name='submissions_state_5a06fe_idx')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('submission',), name='submissions_one_waiting_rescoring')],
                    },
                ),
                migrations.CreateModel(
                    name='Release',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('result_digest', models.CharField(max_length=64)),
                        ('scores', models.JSONField(default=list)),
                        ('marks', models.JSONField(default=dict)),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='release', to='submissions.submission')),
                    ],
                ),
                migrations.CreateModel(
                    name='MethodDescription',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('entries', models.JSONField(default=dict)),
                        ('filled', models.PositiveSmallIntegerField(help_text='required parameters that say something')),
                        ('required', models.PositiveSmallIntegerField()),
                        ('is_complete', models.BooleanField()),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='method', to='submissions.submission')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('filled__lte', models.F('required')), models.Q(models.Q(('filled', models.F('required')), ('is_complete', True)), models.Q(('is_complete', False), models.Q(('filled', models.F('required')), _negated=True)), _connector='OR')), name='submissions_method_complete_exactly_when_filled')],
                    },
                ),
                migrations.CreateModel(
                    name='Chunk',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('index', models.PositiveIntegerField()),
                        ('cases', models.JSONField()),
                        ('state', models.CharField(choices=[('waiting', 'waiting'), ('scoring', 'scoring'), ('done', 'done')], default='waiting', max_length=10)),
                        ('cases_total', models.PositiveIntegerField()),
                        ('cases_done', models.PositiveIntegerField(default=0)),
                        ('rows', models.JSONField(blank=True, null=True)),
                        ('pieces', models.JSONField(blank=True, help_text='case → what it adds to the values of the whole data set', null=True)),
                        ('notes', models.JSONField(blank=True, default=dict, help_text='case → why it has no value; safe for participants')),
                        ('annotator_rows', models.JSONField(blank=True, help_text='annotator, case, rows of results, and pieces', null=True)),
                        ('decoys', models.JSONField(blank=True, help_text='decoy case → what was handed in for it', null=True)),
                        ('disentangled', models.JSONField(blank=True, help_text='case → what detection, classification and outlines are rated by', null=True)),
                        ('log', models.TextField(blank=True, help_text='for organizers')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='submissions.run')),
                    ],
                    options={
                        'ordering': ['run', 'index'],
                        'indexes': [models.Index(fields=['state', 'lease_until'], name='submissions_state_588849_idx')],
                        'constraints': [models.UniqueConstraint(fields=('run', 'index'), name='submissions_chunk_index_unique'), models.CheckConstraint(condition=models.Q(('cases_done__lte', models.F('cases_total'))), name='submissions_chunk_progress_within_total')],
                    },
                ),
            ]
        ),
    ]
