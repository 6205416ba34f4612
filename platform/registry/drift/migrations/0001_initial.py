import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('registry', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='DriftCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(help_text="what the text is, for example the challenge's web page", max_length=200)),
                ('source', models.CharField(choices=[('text', 'pasted text'), ('file', 'uploaded file'), ('address', 'web page')], max_length=10)),
                ('address', models.URLField(blank=True, max_length=500)),
                ('text_digest', models.CharField(max_length=64)),
                ('characters', models.PositiveIntegerField()),
                ('findings', models.JSONField(help_text='task, parameter, state, what was found')),
                ('same', models.PositiveIntegerField()),
                ('missing', models.PositiveIntegerField()),
                ('different', models.PositiveIntegerField()),
                ('links_record', models.BooleanField(default=False, help_text='the text names the record by identifier, address or DOI')),
                ('checked_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('checked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('registration', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='drift_checks', to='registry.registration')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='registry.registrationversion')),
            ],
            options={
                'ordering': ['-checked_at', '-pk'],
            },
        ),
    ]
