import django.db.models.deletion
import django.utils.timezone
import leaderboards.workbench.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
    ]

    operations = [
        migrations.CreateModel(
            name='BroughtTable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                ('key', models.CharField(default=leaderboards.workbench.models.new_key, editable=False, max_length=43, unique=True)),
                ('title', models.CharField(max_length=120)),
                ('file_name', models.CharField(max_length=120)),
                ('stored', models.CharField(help_text='the file as it came, in the private storage', max_length=200)),
                ('state', models.CharField(choices=[('reading', 'being read'), ('asking', 'waiting for your answers'), ('computing', 'being computed'), ('done', 'done'), ('refused', 'cannot be read'), ('failed', 'failed')], default='reading', max_length=12)),
                ('refusal', models.TextField(blank=True, help_text='for its owner: why the table cannot be analysed, and the remedy')),
                ('roles', models.JSONField(blank=True, default=dict, help_text='what each column is, as confirmed')),
                ('reading', models.JSONField(blank=True, default=dict, help_text='columns with samples and roles, facts, suggestions')),
                ('choices', models.JSONField(blank=True, default=list, help_text='direction and missing rule of each metric')),
                ('outcome', models.JSONField(blank=True, default=dict, help_text='board, sentences, gaming check, digest')),
                ('files', models.JSONField(blank=True, default=dict, help_text='stored files by what they are')),
                ('figures', models.JSONField(blank=True, default=dict, help_text='stored figures by name and order')),
                ('is_shared', models.BooleanField(default=False, help_text='whoever has the address reads it')),
                ('is_kept', models.BooleanField(default=False, help_text='not deleted when its time is over')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField(default=leaderboards.workbench.models.end_of_keeping)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('seconds', models.FloatField(blank=True, help_text='what computing took', null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='brought_tables', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'done'), _negated=True), ('finished_at__isnull', False), _connector='OR'), name='workbench_done_has_a_moment')],
            },
        ),
    ]
