import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('registry', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='ChangeRequest',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField(help_text='counted within the registration')),
                        ('state', models.CharField(choices=[('open', 'waiting for a decision'), ('decided', 'decided'), ('withdrawn', 'withdrawn')], default='open', max_length=10)),
                        ('change_class', models.CharField(choices=[('minor', 'minor'), ('major', 'major'), ('critical', 'critical')], help_text='the gravest of its changes', max_length=10)),
                        ('note', models.TextField(blank=True, help_text='for all changes together; public')),
                        ('wanted_on', models.DateField(blank=True, help_text='from when on the change should hold', null=True)),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('objections_until', models.DateTimeField(blank=True, help_text='nothing is approved before, so that those who take part can object', null=True)),
                        ('base', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.registrationversion')),
                        ('registration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='change_requests', to='registry.registration')),
                        ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('result', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='change_request', to='registry.registrationversion')),
                    ],
                    options={
                        'ordering': ['-number'],
                        'constraints': [models.UniqueConstraint(fields=('registration', 'number'), name='changes_number_once'), models.UniqueConstraint(condition=models.Q(('state', 'open')), fields=('registration',), name='changes_one_open_request'), models.CheckConstraint(condition=models.Q(('state', 'decided'), ('result__isnull', True), _connector='OR'), name='changes_only_decisions_make_versions')],
                    },
                ),
                migrations.CreateModel(
                    name='Objection',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField()),
                        ('made_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='objections', to='changes.changerequest')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['made_at'],
                        'constraints': [models.UniqueConstraint(fields=('request', 'user'), name='changes_one_objection_a_person')],
                    },
                ),
                migrations.CreateModel(
                    name='ProposedChange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('task', models.CharField(blank=True, help_text='key of the task; empty: the challenge', max_length=60)),
                        ('parameter', models.CharField(max_length=80)),
                        ('change_class', models.CharField(choices=[('minor', 'minor'), ('major', 'major'), ('critical', 'critical')], max_length=10)),
                        ('before', models.JSONField(default=dict)),
                        ('after', models.JSONField(default=dict)),
                        ('sealed', models.JSONField(default=dict, editable=False)),
                        ('reason', models.TextField()),
                        ('effect', models.TextField(help_text='on those who take part')),
                        ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='changes.changerequest')),
                    ],
                    options={
                        'ordering': ['pk'],
                        'constraints': [models.UniqueConstraint(fields=('request', 'task', 'parameter'), name='changes_once_a_parameter'), models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), _negated=True), models.Q(('effect', ''), _negated=True)), name='changes_has_reason_and_effect')],
                    },
                ),
                migrations.CreateModel(
                    name='ChangeDecision',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('outcome', models.CharField(choices=[('approved', 'approved'), ('deviation', 'approved as a deviation'), ('refused', 'refused')], max_length=10)),
                        ('reason', models.TextField(blank=True)),
                        ('decided_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('change', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='decision', to='changes.proposedchange')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('outcome', 'approved'), models.Q(('reason', ''), _negated=True), _connector='OR'), name='changes_refusal_and_deviation_have_a_reason')],
                    },
                ),
            ]
        ),
    ]
