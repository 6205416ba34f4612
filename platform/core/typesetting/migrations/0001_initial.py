import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='SetFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                ('digest', models.CharField(help_text='SHA-256 of blocks, title, format and typesetter', max_length=64, unique=True)),
                ('ending', models.CharField(choices=[('pdf', 'PDF'), ('docx', 'Word')], max_length=4)),
                ('title', models.TextField()),
                ('blocks', models.JSONField(default=list, help_text='what is to be set; emptied when the file is there')),
                ('name', models.CharField(blank=True, help_text='of the file in the private storage', max_length=200)),
                ('size', models.PositiveBigIntegerField(default=0)),
                ('sha256', models.CharField(blank=True, max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('asked_for_on', models.DateField(default=django.utils.timezone.localdate, help_text='when somebody last took it')),
                ('made_at', models.DateTimeField(blank=True, null=True)),
                ('failed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('made_at', None), ('failed_at', None), _connector='OR'), name='typesetting_made_or_failed')],
            },
        ),
    ]
