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
        ('changes', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='TestSet',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveSmallIntegerField(default=1)),
                        ('name', models.CharField(max_length=200)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('sealed_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('manifest_digest', models.CharField(blank=True, editable=False, max_length=64)),
                        ('is_active', models.BooleanField(default=False, help_text='the version that new runs are scored against')),
                        ('undone_at', models.DateTimeField(blank=True, editable=False, help_text='when the sealing was undone, before anything was submitted', null=True)),
                        ('shared', models.JSONField(blank=True, default=dict, editable=False, help_text='what all cases of a classification or detection have in common, such as the names of the classes')),
                        ('salt', models.CharField(blank=True, editable=False, help_text='secret part of the manifest', max_length=64)),
                        ('merge_rule', models.CharField(blank=True, editable=False, help_text='how the references of several annotators became one', max_length=30)),
                        ('change_request', models.ForeignKey(blank=True, editable=False, help_text='the approved change of the registration that allowed this replacement', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='changes.changerequest')),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='test_sets', to='challenges.phase')),
                    ],
                    options={
                        'ordering': ['phase', '-version'],
                        'constraints': [models.UniqueConstraint(fields=('phase', 'version'), name='test_sets_version_unique'), models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('phase',), name='test_sets_one_active_test_set'), models.CheckConstraint(condition=models.Q(('is_active', False), models.Q(('sealed_at__isnull', False), models.Q(('manifest_digest', ''), _negated=True)), _connector='OR'), name='test_sets_active_test_set_is_sealed'), models.CheckConstraint(condition=models.Q(('undone_at__isnull', True), models.Q(('is_active', False), ('sealed_at__isnull', False)), _connector='OR'), name='test_sets_undone_test_set_was_sealed_and_is_not_in_use')],
                    },
                ),
                migrations.CreateModel(
                    name='TestCase',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=150)),
                        ('position', models.PositiveIntegerField()),
                        ('reference_file', models.CharField(max_length=300)),
                        ('reference_sha256', models.CharField(max_length=64)),
                        ('image_file', models.CharField(blank=True, help_text='for pictures', max_length=300)),
                        ('geometry', models.JSONField(blank=True, help_text='shape, spacing (mm, in array-axis order) and affine of the reference; the kind of objects of a detection')),
                        ('metadata', models.JSONField(default=dict)),
                        ('is_decoy', models.BooleanField(default=False, help_text='asked for like any other case, and not scored')),
                        ('test_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cases', to='test_sets.testset')),
                    ],
                    options={
                        'ordering': ['test_set', 'position'],
                        'constraints': [models.UniqueConstraint(fields=('test_set', 'name'), name='test_sets_case_name_unique'), models.UniqueConstraint(fields=('test_set', 'position'), name='test_sets_case_position_unique')],
                    },
                ),
                migrations.CreateModel(
                    name='TestSetArchive',
                    fields=[
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('file_name', models.CharField(max_length=255)),
                        ('size', models.PositiveBigIntegerField()),
                        ('replaces', models.BooleanField(help_text='takes the place of a version that is there')),
                        ('reason', models.TextField(blank=True)),
                        ('merge_rule', models.CharField(blank=True, help_text='how references of several annotators become one, where no design says it', max_length=30)),
                        ('state', models.CharField(choices=[('waiting', 'waiting for a worker'), ('checking', 'being checked'), ('read', 'read, not sealed yet'), ('sealed', 'sealed'), ('refused', 'refused'), ('discarded', 'discarded')], default='waiting', max_length=10)),
                        ('problems', models.TextField(blank=True, help_text='for organizers: one problem a line')),
                        ('pieces', models.JSONField(editable=False, help_text='the files that the archive is kept in, in their order')),
                        ('reading', models.JSONField(blank=True, editable=False, help_text='what was read, for who decides', null=True)),
                        ('confirmed_at', models.DateTimeField(blank=True, editable=False, help_text='when an owner said that what was read is to be sealed', null=True)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('finished_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('confirmed_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='test_set_archives', to='challenges.phase')),
                        ('test_set', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='archive', to='test_sets.testset')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'checking', 'read'])), fields=('phase',), name='test_sets_one_open_archive'), models.CheckConstraint(condition=models.Q(('replaces', False), models.Q(('reason', ''), _negated=True), _connector='OR'), name='test_sets_replacement_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sealed'), ('test_set__isnull', False)), models.Q(models.Q(('state', 'sealed'), _negated=True), ('test_set__isnull', True)), _connector='OR'), name='test_sets_archive_with_test_set_exactly_when_sealed'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'sealed'), _negated=True), models.Q(('confirmed_at__isnull', False), ('reading__isnull', False)), _connector='OR'), name='test_sets_archive_is_sealed_after_its_reading_was_confirmed')],
                    },
                ),
                migrations.CreateModel(
                    name='TestSetUpload',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('file_name', models.CharField(max_length=255)),
                        ('size', models.PositiveBigIntegerField(help_text='bytes, as declared before the first of them arrived')),
                        ('offset', models.PositiveBigIntegerField(default=0, help_text='bytes received and kept')),
                        ('state', models.CharField(choices=[('receiving', 'receiving'), ('complete', 'complete'), ('refused', 'refused'), ('cancelled', 'cancelled'), ('expired', 'expired')], default='receiving', max_length=12)),
                        ('refusal', models.CharField(blank=True, help_text='why nothing became of it', max_length=500)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('expires_at', models.DateTimeField()),
                        ('reason', models.TextField(blank=True)),
                        ('merge_rule', models.CharField(blank=True, max_length=30)),
                        ('pieces', models.JSONField(default=list, editable=False, help_text='the encrypted files, in their order')),
                        ('archive', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='upload', to='test_sets.testsetarchive')),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='test_set_uploads', to='challenges.phase')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'indexes': [models.Index(fields=['state', 'expires_at'], name='test_sets_t_state_e1d185_idx')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('offset__lte', models.F('size'))), name='test_sets_upload_within_size'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'complete'), _negated=True), ('offset', models.F('size')), _connector='OR'), name='test_sets_complete_test_set_upload_is_whole')],
                    },
                ),
                migrations.CreateModel(
                    name='CaseReport',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('case', models.CharField(max_length=150)),
                        ('category', models.CharField(choices=[('reference', 'the reference looks wrong'), ('image', 'the image is damaged'), ('duplicate', 'it is a duplicate of another case'), ('definition', 'it does not meet the definition of a case'), ('other', 'something else')], max_length=12)),
                        ('text', models.TextField(help_text='what was seen, and where', max_length=2000)),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('state', models.CharField(choices=[('open', 'open'), ('confirmed', 'confirmed'), ('dismissed', 'dismissed')], default='open', max_length=10)),
                        ('answer', models.TextField(blank=True, max_length=2000)),
                        ('answered_at', models.DateTimeField(blank=True, null=True)),
                        ('answered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='case_reports', to='challenges.phase')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-made_at', '-pk'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('phase', 'case', 'category', 'user'), name='test_sets_one_open_report_a_person_and_case'), models.CheckConstraint(condition=models.Q(('state', 'open'), models.Q(('answer', ''), _negated=True), _connector='OR'), name='test_sets_answered_report_has_an_answer')],
                    },
                ),
                migrations.CreateModel(
                    name='Annotation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('annotator', models.CharField(help_text='an identifier, not the name of a person', max_length=60)),
                        ('reference_file', models.CharField(max_length=300)),
                        ('reference_sha256', models.CharField(max_length=64)),
                        ('case', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='annotations', to='test_sets.testcase')),
                    ],
                    options={
                        'ordering': ['case', 'annotator'],
                        'constraints': [models.UniqueConstraint(fields=('case', 'annotator'), name='test_sets_annotator_once_a_case')],
                    },
                ),
            ]
        ),
    ]
