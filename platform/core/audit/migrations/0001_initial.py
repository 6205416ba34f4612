import django.db.models.deletion
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
                    name='Head',
                    fields=[
                        ('id', models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                        ('sequence', models.PositiveBigIntegerField(default=0)),
                        ('digest', models.CharField(default='0000000000000000000000000000000000000000000000000000000000000000', max_length=64)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='audit_one_head')],
                    },
                ),
                migrations.CreateModel(
                    name='Entry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sequence', models.PositiveBigIntegerField(editable=False, unique=True)),
                        ('time', models.DateTimeField()),
                        ('act', models.CharField(max_length=80)),
                        ('subject_type', models.CharField(max_length=80)),
                        ('subject_id', models.CharField(max_length=80)),
                        ('scope', models.CharField(blank=True, help_text='the challenge or call it belongs to', max_length=100)),
                        ('facts', models.JSONField(default=dict)),
                        ('previous', models.CharField(max_length=64)),
                        ('digest', models.CharField(max_length=64, unique=True)),
                        ('actor', models.ForeignKey(help_text='empty: the system', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name_plural': 'entries',
                        'ordering': ['sequence'],
                        'indexes': [models.Index(fields=['scope', 'sequence'], name='audit_entry_scope_fd95fd_idx'), models.Index(fields=['subject_type', 'subject_id'], name='audit_entry_subject_3be540_idx')],
                    },
                ),
            ]
        ),
    ]
