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
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='DatasetFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('name', models.CharField(max_length=200)),
                        ('size', models.PositiveBigIntegerField()),
                        ('sha256', models.CharField(blank=True, max_length=64)),
                        ('stored', models.CharField(help_text='name in the private storage', max_length=300, unique=True)),
                        ('state', models.CharField(choices=[('waiting', 'waiting for its checksum'), ('digesting', 'its checksum is computed'), ('ready', 'ready'), ('failed', 'could not be read')], default='waiting', max_length=10)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                    ],
                    options={
                        'ordering': ['version', 'name'],
                    },
                ),
                migrations.CreateModel(
                    name='Dataset',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=80)),
                        ('name', models.CharField(max_length=200)),
                        ('split', models.CharField(choices=[('training', 'training'), ('validation', 'validation'), ('test', 'test images'), ('other', 'other'), ('published', 'published after the challenge')], max_length=10)),
                        ('access', models.CharField(choices=[('open', 'everybody'), ('agreement', 'those who take part and have agreed to the data usage agreement')], default='agreement', max_length=10)),
                        ('description', models.TextField(blank=True, help_text='Markdown: what is in it, and in which format')),
                        ('licence', models.CharField(help_text='under which the data may be used', max_length=200)),
                        ('citation', models.TextField(blank=True, help_text='how to cite the data')),
                        ('url', models.URLField(blank=True, help_text='where it is, if not hosted here', max_length=500)),
                        ('url_sha256', models.CharField(blank=True, help_text='SHA-256 of the file at the address', max_length=64)),
                        ('size_words', models.CharField(blank=True, help_text='size of what lies elsewhere', max_length=100)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='datasets', to='challenges.challenge')),
                        ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('task', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='challenges.task')),
                    ],
                    options={
                        'ordering': ['challenge', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'slug'), name='datasets_slug_once_a_challenge'), models.CheckConstraint(condition=models.Q(('url', ''), ('url__startswith', 'https://'), _connector='OR'), name='datasets_links_are_https')],
                    },
                ),
                migrations.CreateModel(
                    name='DatasetVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveSmallIntegerField()),
                        ('note', models.CharField(blank=True, help_text='what is new', max_length=500)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('released_at', models.DateTimeField(blank=True, null=True)),
                        ('available_from', models.DateTimeField(blank=True, help_text='nobody gets the files before', null=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                        ('withdrawal', models.CharField(blank=True, help_text='why it must not be used any more', max_length=500)),
                        ('digest', models.CharField(blank=True, editable=False, max_length=64)),
                        ('dataset', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='datasets.dataset')),
                    ],
                    options={
                        'ordering': ['dataset', '-number'],
                        'constraints': [models.UniqueConstraint(fields=('dataset', 'number'), name='datasets_version_number_once'), models.UniqueConstraint(condition=models.Q(('released_at__isnull', True)), fields=('dataset',), name='datasets_one_draft'), models.CheckConstraint(condition=models.Q(('released_at__isnull', True), models.Q(('digest', ''), _negated=True), _connector='OR'), name='datasets_released_version_has_a_digest'), models.CheckConstraint(condition=models.Q(('withdrawn_at__isnull', True), models.Q(('released_at__isnull', False), models.Q(('withdrawal', ''), _negated=True)), _connector='OR'), name='datasets_withdrawn_with_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='DatasetUpload',
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
                        ('file', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='upload', to='datasets.datasetfile')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='datasets.datasetversion')),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'indexes': [models.Index(fields=['state', 'expires_at'], name='datasets_da_state_7c6ab2_idx')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('offset__lte', models.F('size'))), name='datasets_upload_within_size'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'complete'), _negated=True), ('offset', models.F('size')), _connector='OR'), name='datasets_complete_upload_is_whole')],
                    },
                ),
                migrations.CreateModel(
                    name='Download',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('agreement_digest', models.CharField(blank=True, help_text='SHA-256 of the data usage agreement that the person has agreed to', max_length=64)),
                        ('issued_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('last_used_at', models.DateTimeField(blank=True, null=True)),
                        ('requests', models.PositiveIntegerField(default=0)),
                        ('bytes_sent', models.PositiveBigIntegerField(default=0, help_text='by the platform; what an object store sent by itself, only the store knows')),
                        ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='downloads', to='datasets.datasetfile')),
                        ('user', models.ForeignKey(help_text='empty: open data', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-issued_at', '-pk'],
                        'indexes': [models.Index(fields=['file', '-issued_at'], name='datasets_do_file_id_dabb6f_idx')],
                    },
                ),
                migrations.CreateModel(
                    name='Publication',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('state', models.CharField(choices=[('waiting', 'waiting for a worker'), ('working', 'being put together'), ('published', 'published'), ('failed', 'failed')], default='waiting', max_length=10)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('challenge', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='publication', to='challenges.challenge')),
                        ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='datasets.datasetversion')),
                    ],
                    options={
                        'abstract': False,
                    },
                ),
                migrations.CreateModel(
                    name='PublicationConsent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('is_given', models.BooleanField()),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('changed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('team', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='publication_consent', to='challenges.team')),
                    ],
                ),
            ]
        ),
        migrations.AddField(
            model_name='datasetfile',
            name='version',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='datasets.datasetversion'),
        ),
        migrations.AddConstraint(
            model_name='datasetfile',
            constraint=models.UniqueConstraint(fields=('version', 'name'), name='datasets_file_name_once'),
        ),
        migrations.AddConstraint(
            model_name='datasetfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'ready'), _negated=True), models.Q(('sha256', ''), _negated=True), _connector='OR'), name='datasets_ready_file_has_a_digest'),
        ),
    ]
