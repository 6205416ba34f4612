import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('challenges', '0001_initial'),
        ('designs', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Report',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('number', models.PositiveIntegerField(help_text='counts within the challenge')),
                        ('kind', models.CharField(choices=[('challenge', 'report of the challenge'), ('team', 'report of a team')], default='challenge', max_length=10)),
                        ('audience', models.CharField(choices=[('organizers', 'organizers'), ('public', 'everybody, once it is published'), ('team', 'the team and the organizers')], max_length=10)),
                        ('inputs', models.JSONField(help_text='the facts that it is made of; public part and digests, no result of a case')),
                        ('inputs_digest', models.CharField(max_length=64)),
                        ('state', models.CharField(choices=[('queued', 'waiting for a worker'), ('working', 'being made'), ('done', 'made'), ('failed', 'failed')], default='queued', max_length=10)),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('step', models.PositiveSmallIntegerField(default=0)),
                        ('steps', models.PositiveSmallIntegerField(default=0)),
                        ('doing', models.CharField(blank=True, max_length=120)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('seconds', models.FloatField(blank=True, help_text='how long it took', null=True)),
                        ('digest', models.CharField(blank=True, help_text='SHA-256 of its content', max_length=64)),
                        ('content_name', models.CharField(blank=True, help_text='its content in the private storage', max_length=200)),
                        ('files', models.JSONField(default=dict, help_text='format or figure → file in the private storage')),
                        ('score', models.JSONField(default=dict, help_text='items of the guideline: covered, drafts, open')),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='challenges.challenge')),
                        ('phase', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='challenges.phase')),
                        ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='challenges.team')),
                    ],
                    options={
                        'ordering': ['challenge', 'number'],
                        'indexes': [models.Index(fields=['state', 'lease_until'], name='reports_rep_state_cd063a_idx')],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'number'), name='reports_report_number_once'), models.UniqueConstraint(fields=('challenge', 'inputs_digest'), name='reports_report_inputs_once'), models.CheckConstraint(condition=models.Q(models.Q(('audience__in', ['organizers', 'public']), ('kind', 'challenge'), ('phase', None), ('team', None)), models.Q(('audience', 'team'), ('kind', 'team'), ('phase__isnull', False), ('team__isnull', False)), _connector='OR'), name='reports_report_has_its_subject'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), _negated=True), models.Q(models.Q(('content_name', ''), _negated=True), models.Q(('digest', ''), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='reports_report_done_has_content'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('failure', ''), _negated=True), _connector='OR'), name='reports_report_failure_has_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='ReportSettings',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('published_at', models.DateTimeField(blank=True, null=True)),
                        ('challenge', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='report_settings', to='challenges.challenge')),
                        ('design_version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='designs.designversion')),
                        ('published', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='reports.report')),
                        ('published_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name_plural': 'report settings',
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('published__isnull', True), ('published_at__isnull', True)), models.Q(('published__isnull', False), ('published_at__isnull', False)), _connector='OR'), name='reports_published_report_has_date')],
                    },
                ),
                migrations.CreateModel(
                    name='ReportText',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('item', models.CharField(help_text='number of the guideline', max_length=4)),
                        ('text', models.TextField(blank=True)),
                        ('based_on', models.TextField(blank=True)),
                        ('revision', models.PositiveIntegerField(default=1)),
                        ('written_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='report_texts', to='challenges.challenge')),
                    ],
                    options={
                        'ordering': ['challenge', 'item'],
                        'constraints': [models.UniqueConstraint(fields=('challenge', 'item'), name='reports_report_text_once')],
                    },
                ),
            ]
        ),
    ]
