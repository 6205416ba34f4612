from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='BackupMade',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=40)),
                        ('made_at', models.DateTimeField()),
                        ('files', models.PositiveIntegerField()),
                    ],
                    options={
                        'verbose_name_plural': 'backups made',
                        'ordering': ['-made_at'],
                    },
                ),
                migrations.CreateModel(
                    name='Heartbeat',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('queue', models.CharField(max_length=40)),
                        ('host', models.CharField(blank=True, max_length=100)),
                        ('seen_at', models.DateTimeField()),
                        ('confinement', models.JSONField(blank=True, default=dict, help_text='guarantee → whether it holds on this machine')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('queue', 'host'), name='operations_one_heartbeat_a_queue_and_host')],
                    },
                ),
            ]
        ),
    ]
