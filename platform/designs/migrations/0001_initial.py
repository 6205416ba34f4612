import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='LinkAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('url', models.CharField(max_length=2000, unique=True)),
                        ('works', models.BooleanField()),
                        ('status', models.PositiveSmallIntegerField(null=True)),
                        ('words', models.CharField(blank=True, max_length=200)),
                        ('asked_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='Design',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=80, unique=True)),
                        ('title', models.CharField(help_text="working title; the challenge's name is a value of the document", max_length=200)),
                        ('is_public', models.BooleanField(default=False, help_text='everybody may read it, for example an example design')),
                        ('legacy_import', models.BooleanField(default=False, help_text='taken from a document that was written without this platform; open points are expected')),
                        ('origin', models.JSONField(blank=True, default=dict, help_text='sources, provenance and discrepancies of an import')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('copied_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='copies', to='designs.design')),
                    ],
                    options={
                        'ordering': ['-changed_at'],
                    },
                ),
                migrations.CreateModel(
                    name='DesignTask',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('key', models.SlugField(max_length=60)),
                        ('position', models.PositiveSmallIntegerField(default=1)),
                        ('removed_at', models.DateTimeField(blank=True, null=True)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tasks', to='designs.design')),
                    ],
                    options={
                        'ordering': ['position', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('design', 'key'), name='designs_task_key_unique')],
                    },
                ),
                migrations.CreateModel(
                    name='CheckAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('check_id', models.CharField(max_length=120)),
                        ('text', models.TextField()),
                        ('basis', models.CharField(max_length=64)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='designs.design')),
                        ('task', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='designs.designtask')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('task__isnull', False)), fields=('design', 'task', 'check_id'), name='designs_answer_once_a_task'), models.UniqueConstraint(condition=models.Q(('task__isnull', True)), fields=('design', 'check_id'), name='designs_answer_once')],
                    },
                ),
                migrations.CreateModel(
                    name='DesignVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('name', models.CharField(max_length=120)),
                        ('note', models.TextField(blank=True)),
                        ('document', models.JSONField()),
                        ('sealed', models.JSONField(default=dict)),
                        ('digest', models.CharField(max_length=64)),
                        ('catalogue', models.CharField(help_text='version of the parameter catalogue', max_length=20)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='designs.design')),
                    ],
                    options={
                        'ordering': ['-number'],
                        'constraints': [models.UniqueConstraint(fields=('design', 'number'), name='designs_version_number_unique')],
                    },
                ),
                migrations.CreateModel(
                    name='FieldChange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('parameter', models.CharField(max_length=80)),
                        ('revision', models.PositiveIntegerField()),
                        ('time', models.DateTimeField(default=django.utils.timezone.now)),
                        ('before', models.JSONField()),
                        ('after', models.JSONField()),
                        ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='designs.design')),
                        ('task', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='designs.designtask')),
                    ],
                    options={
                        'ordering': ['-time', '-pk'],
                        'indexes': [models.Index(fields=['design', 'parameter', 'revision'], name='designs_fie_design__95190e_idx')],
                    },
                ),
                migrations.CreateModel(
                    name='FieldValue',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('parameter', models.CharField(max_length=80)),
                        ('state', models.CharField(choices=[('provided', 'provided'), ('none_declared', 'there is none'), ('not_applicable', 'not applicable'), ('to_be_provided_by', 'follows by a date'), ('embargoed_until', 'embargoed until an event'), ('missing', 'blank')], default='missing', max_length=20)),
                        ('value', models.JSONField(blank=True, null=True)),
                        ('details', models.TextField(blank=True)),
                        ('reason', models.TextField(blank=True)),
                        ('until', models.DateField(blank=True, null=True)),
                        ('event', models.CharField(blank=True, max_length=120)),
                        ('nonce', models.CharField(blank=True, editable=False, max_length=32)),
                        ('digest', models.CharField(blank=True, editable=False, max_length=64)),
                        ('revision', models.PositiveIntegerField(default=0)),
                        ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fields', to='designs.design')),
                        ('task', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='fields', to='designs.designtask')),
                        ('updated_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('task__isnull', False)), fields=('design', 'task', 'parameter'), name='designs_one_value_a_task_and_parameter'), models.UniqueConstraint(condition=models.Q(('task__isnull', True)), fields=('design', 'parameter'), name='designs_one_value_a_challenge_parameter'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'not_applicable'), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='designs_not_applicable_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'to_be_provided_by'), _negated=True), ('until__isnull', False), _connector='OR'), name='designs_follows_has_a_date'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'embargoed_until'), _negated=True), models.Q(models.Q(('event', ''), _negated=True), models.Q(('digest', ''), _negated=True)), _connector='OR'), name='designs_embargo_has_event_and_digest')],
                    },
                ),
                migrations.CreateModel(
                    name='OpenedEmbargo',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('parameter', models.CharField(max_length=80)),
                        ('digest', models.CharField(max_length=64)),
                        ('nonce', models.CharField(max_length=32)),
                        ('value', models.JSONField()),
                        ('event', models.CharField(max_length=120)),
                        ('promised_at', models.DateTimeField(help_text='when the digest was stored')),
                        ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='opened_embargoes', to='designs.design')),
                        ('task', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='designs.designtask')),
                    ],
                    options={
                        'ordering': ['opened_at', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('design', 'digest'), name='designs_embargo_opened_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Scan',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('source', models.CharField(help_text='uploaded files, or the test set that was read', max_length=200)),
                        ('files', models.JSONField(default=list, help_text='uploads until they are read: role, name, place in the storage')),
                        ('plan', models.JSONField(help_text='kind of problem and regions as they stood')),
                        ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='queued', max_length=10)),
                        ('problem', models.TextField(blank=True)),
                        ('result', models.JSONField(blank=True, null=True)),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scans', to='designs.designtask')),
                    ],
                    options={
                        'ordering': ['-requested_at', '-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='Simulation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('assessment', models.JSONField()),
                        ('options', models.JSONField(help_text='cases, teams, spread or pilot')),
                        ('state', models.CharField(choices=[('queued', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='queued', max_length=10)),
                        ('finished', models.PositiveIntegerField(default=0)),
                        ('pieces', models.PositiveIntegerField(default=0)),
                        ('result', models.JSONField(blank=True, null=True)),
                        ('problem', models.TextField(blank=True)),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='simulations', to='designs.designtask')),
                    ],
                    options={
                        'ordering': ['-requested_at', '-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='TaskAnswers',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('answers', models.JSONField(blank=True, default=dict)),
                        ('choices', models.JSONField(blank=True, default=dict)),
                        ('classes', models.JSONField(blank=True, default=dict)),
                        ('reasons', models.JSONField(blank=True, default=dict)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('task', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='designs.designtask')),
                    ],
                    options={
                        'verbose_name_plural': 'task answers',
                    },
                ),
                migrations.CreateModel(
                    name='TextOverride',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('parameter', models.CharField(max_length=80)),
                        ('text_name', models.CharField(choices=[('label', 'label'), ('help_text', 'help text'), ('why_it_matters', 'why it matters')], max_length=20, verbose_name='which text')),
                        ('text', models.TextField()),
                        ('changed_at', models.DateTimeField(auto_now=True)),
                    ],
                    options={
                        'ordering': ['parameter', 'text_name'],
                        'constraints': [models.UniqueConstraint(fields=('parameter', 'text_name'), name='designs_text_override_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Collaborator',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('role', models.CharField(choices=[('owner', 'owner'), ('editor', 'editor'), ('reader', 'reader')], default='editor', max_length=10)),
                        ('joined_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='design_roles', to=settings.AUTH_USER_MODEL)),
                        ('design', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='collaborators', to='designs.design')),
                    ],
                    options={
                        'ordering': ['joined_at'],
                        'constraints': [models.UniqueConstraint(fields=('design', 'user'), name='designs_collaborator_once')],
                    },
                ),
            ]
        ),
    ]
