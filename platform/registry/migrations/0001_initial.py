import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('designs', '0001_initial'),
        ('reviews', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='YearCount',
                    fields=[
                        ('year', models.PositiveSmallIntegerField(primary_key=True, serialize=False)),
                        ('last', models.PositiveIntegerField(default=0)),
                    ],
                ),
                migrations.CreateModel(
                    name='Registration',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('identifier', models.CharField(editable=False, max_length=40, unique=True)),
                        ('slug', models.SlugField(help_text='readable name that leads to the same page', max_length=80, unique=True)),
                        ('year', models.PositiveSmallIntegerField(editable=False, help_text='year of the registration')),
                        ('number', models.PositiveIntegerField(editable=False, help_text='counted within the year')),
                        ('state', models.CharField(choices=[('comment_period', 'open for comments'), ('registered', 'registered'), ('withdrawn', 'withdrawn'), ('abandoned', 'abandoned')], default='registered', max_length=20)),
                        ('reason', models.TextField(blank=True, help_text='why it was withdrawn or abandoned; public')),
                        ('state_changed_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('comment_until', models.DateTimeField(blank=True, help_text='end of the comment period', null=True)),
                        ('is_example', models.BooleanField(default=False, help_text='registered by an administrator, without a call')),
                        ('registered_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('design', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='registration', to='designs.design')),
                        ('filing', models.OneToOneField(blank=True, help_text='the accepted filing that it comes from', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='registration', to='reviews.filing')),
                        ('previous_edition', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='next_editions', to='registry.registration')),
                        ('registered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-registered_at', '-pk'],
                        'constraints': [models.UniqueConstraint(fields=('year', 'number'), name='registry_number_once_a_year'), models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['withdrawn', 'abandoned']), _negated=True), models.Q(('reason', ''), _negated=True), _connector='OR'), name='registry_end_has_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'comment_period'), _negated=True), ('comment_until__isnull', False), _connector='OR'), name='registry_comment_period_has_an_end'), models.CheckConstraint(condition=models.Q(('previous_edition__isnull', True), models.Q(('previous_edition', models.F('id')), _negated=True), _connector='OR'), name='registry_no_edition_precedes_itself')],
                    },
                ),
                migrations.CreateModel(
                    name='Facet',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('modality', 'imaging modality'), ('anatomy', 'anatomy'), ('category', 'task category'), ('field', 'field of application'), ('metric', 'metric')], max_length=10)),
                        ('value', models.CharField(max_length=120)),
                        ('label', models.CharField(max_length=200)),
                        ('registration', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='facets', to='registry.registration')),
                    ],
                    options={
                        'ordering': ['kind', 'label'],
                        'indexes': [models.Index(fields=['kind', 'value'], name='registry_fa_kind_48765d_idx')],
                        'constraints': [models.UniqueConstraint(fields=('registration', 'kind', 'value'), name='registry_facet_once')],
                    },
                ),
                migrations.CreateModel(
                    name='RegistrationVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('major', models.PositiveSmallIntegerField(default=1)),
                        ('minor', models.PositiveSmallIntegerField(default=0)),
                        ('level', models.CharField(choices=[('first', 'first version'), ('minor', 'minor change'), ('major', 'major change'), ('critical', 'critical change')], default='first', max_length=10)),
                        ('note', models.TextField(blank=True, help_text='what changed and why; public')),
                        ('changes', models.JSONField(default=list, help_text='the changed parameters with their class, public')),
                        ('is_late', models.BooleanField(default=False, help_text='registered or changed later than it should be')),
                        ('is_deviation', models.BooleanField(default=False, help_text='critical, made after the first test submission')),
                        ('canonical', models.TextField()),
                        ('digest', models.CharField(max_length=64)),
                        ('schema', models.PositiveSmallIntegerField(help_text='schema number of the document')),
                        ('catalogue', models.CharField(help_text='version of the parameter catalogue', max_length=20)),
                        ('sealed', models.JSONField(default=dict)),
                        ('registered_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('design_version', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='registered_as', to='designs.designversion')),
                        ('previous', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='next', to='registry.registrationversion')),
                        ('registered_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('registration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='registry.registration')),
                    ],
                    options={
                        'ordering': ['-major', '-minor'],
                        'constraints': [models.UniqueConstraint(fields=('registration', 'major', 'minor'), name='registry_version_number_once'), models.UniqueConstraint(condition=models.Q(('previous__isnull', True)), fields=('registration',), name='registry_one_first_version'), models.CheckConstraint(condition=models.Q(models.Q(('level', 'first'), ('major', 1), ('minor', 0), ('previous__isnull', True)), models.Q(('previous__isnull', False), models.Q(('level', 'first'), _negated=True)), _connector='OR'), name='registry_first_version_is_1_0'), models.CheckConstraint(condition=models.Q(('is_deviation', False), ('level', 'critical'), _connector='OR'), name='registry_deviations_are_critical')],
                    },
                ),
                migrations.CreateModel(
                    name='Listing',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=300)),
                        ('acronym', models.CharField(blank=True, max_length=80)),
                        ('edition', models.PositiveIntegerField(help_text='year of the challenge', null=True)),
                        ('venue', models.CharField(blank=True, max_length=120)),
                        ('venue_label', models.CharField(blank=True, max_length=300)),
                        ('abstract', models.TextField(blank=True)),
                        ('authors', models.JSONField(default=list, help_text='names and affiliations of the organizing team')),
                        ('tasks', models.JSONField(default=list, help_text='names of the tasks')),
                        ('figures', models.JSONField(default=list, help_text='what the statistics count, task by task')),
                        ('text', models.TextField(help_text='every public word, for the search')),
                        ('registration', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='listing', to='registry.registration')),
                        ('version', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.registrationversion')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['edition'], name='registry_li_edition_dcd401_idx'), models.Index(fields=['venue'], name='registry_li_venue_80162e_idx')],
                    },
                ),
                migrations.CreateModel(
                    name='Disclosure',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('place', models.CharField(help_text='task key or “challenge”, a slash, the parameter', max_length=160)),
                        ('event', models.CharField(max_length=120)),
                        ('value', models.JSONField()),
                        ('nonce', models.CharField(max_length=32)),
                        ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('opened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='disclosures', to='registry.registrationversion')),
                    ],
                    options={
                        'ordering': ['opened_at', 'pk'],
                        'constraints': [models.UniqueConstraint(fields=('version', 'place'), name='registry_disclosed_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Deposit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('state', models.CharField(choices=[('queued', 'waiting'), ('published', 'published'), ('failed', 'given up')], default='queued', max_length=10)),
                        ('external_id', models.CharField(blank=True, help_text="the repository's number of the draft or record", max_length=60)),
                        ('doi', models.CharField(blank=True, max_length=120, verbose_name='DOI')),
                        ('concept_doi', models.CharField(blank=True, max_length=120, verbose_name='DOI of all versions')),
                        ('address', models.URLField(blank=True, help_text='page of the record', max_length=500)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('published_at', models.DateTimeField(blank=True, null=True)),
                        ('version', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='deposit', to='registry.registrationversion')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['state', 'due_at'], name='registry_de_state_1d1623_idx')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'published'), _negated=True), models.Q(models.Q(('doi', ''), _negated=True), ('published_at__isnull', False)), _connector='OR'), name='registry_published_has_a_doi')],
                    },
                ),
                migrations.CreateModel(
                    name='Statistics',
                    fields=[
                        ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                        ('counted_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('content', models.JSONField(default=dict)),
                    ],
                    options={
                        'verbose_name_plural': 'statistics',
                        'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='registry_one_statistics')],
                    },
                ),
                migrations.CreateModel(
                    name='Verification',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('started_at', models.DateTimeField()),
                        ('finished_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('head_sequence', models.PositiveBigIntegerField(help_text='entries of the chain at that time')),
                        ('head_digest', models.CharField(max_length=64)),
                        ('counts', models.JSONField(default=dict, help_text='kind → how many digests were recomputed')),
                        ('problems', models.JSONField(default=list)),
                        ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-finished_at', '-pk'],
                    },
                ),
                migrations.CreateModel(
                    name='VersionFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('pdf', 'the whole design'), ('changes', 'the whole design with its changes highlighted')], default='pdf', max_length=10)),
                        ('name', models.CharField(help_text='in the private storage', max_length=200)),
                        ('size', models.PositiveBigIntegerField()),
                        ('digest', models.CharField(max_length=64)),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='files', to='registry.registrationversion')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('version', 'kind'), name='registry_file_once')],
                    },
                ),
            ]
        ),
    ]
