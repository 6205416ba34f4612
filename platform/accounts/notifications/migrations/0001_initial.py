import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import uuid
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
                    name='Email',
                    fields=[
                        ('lease_token', models.UUIDField(blank=True, editable=False, help_text='names the worker that holds it', null=True)),
                        ('lease_until', models.DateTimeField(blank=True, editable=False, help_text='held until then at most', null=True)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, editable=False, help_text='how often a worker began it')),
                        ('asked_at', models.DateTimeField(blank=True, editable=False, help_text='when a worker was last asked for it, or will have been', null=True)),
                        ('due_at', models.DateTimeField(blank=True, editable=False, help_text='not begun before; without it, at once', null=True)),
                        ('failure', models.TextField(blank=True, editable=False, help_text='for organizers and operators: why the last attempt failed')),
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('to', models.EmailField(max_length=254)),
                        ('kind', models.CharField(max_length=60)),
                        ('key', models.CharField(blank=True, help_text='the same key is mailed to an address once', max_length=150)),
                        ('subject', models.CharField(max_length=200)),
                        ('text', models.TextField()),
                        ('html', models.TextField(blank=True)),
                        ('unsubscribe', models.CharField(blank=True, help_text='address of the page that ends such mails', max_length=1000)),
                        ('state', models.CharField(choices=[('waiting', 'waiting'), ('sending', 'sending'), ('sent', 'sent'), ('failed', 'failed')], default='waiting', max_length=10)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('sent_at', models.DateTimeField(blank=True, editable=False, null=True)),
                        ('inviter', models.ForeignKey(blank=True, help_text='who invites by it', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['created_at'],
                        'indexes': [models.Index(fields=['state', 'due_at'], name='notificatio_state_c4b5f5_idx'), models.Index(django.db.models.functions.text.Lower('to'), models.F('created_at'), condition=models.Q(('inviter__isnull', False)), name='notifications_invitations_to')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('sent_at__isnull', False), ('state', 'sent')), models.Q(models.Q(('state', 'sent'), _negated=True), ('sent_at__isnull', True)), _connector='OR'), name='notifications_sent_exactly_when_dated'), models.UniqueConstraint(django.db.models.functions.text.Lower('to'), models.F('kind'), models.F('key'), condition=models.Q(('key', ''), _negated=True), name='notifications_email_key_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Notification',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('kind', models.CharField(max_length=60)),
                        ('key', models.CharField(blank=True, help_text='a person is told the same key once', max_length=150)),
                        ('subject', models.CharField(max_length=200)),
                        ('text', models.TextField(blank=True)),
                        ('address', models.CharField(blank=True, help_text='path on this site', max_length=500)),
                        ('scope', models.CharField(blank=True, help_text='the challenge or call it belongs to', max_length=100)),
                        ('how', models.CharField(choices=[('at_once', 'at once'), ('daily', 'in one mail a day'), ('never', 'not by e-mail')], help_text='how it is mailed, as chosen when it was written', max_length=10)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('read_at', models.DateTimeField(blank=True, null=True)),
                        ('email', models.ForeignKey(blank=True, help_text='the mail or digest that carries it', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='notifications', to='notifications.email')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notifications', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-created_at', '-pk'],
                        'indexes': [models.Index(fields=['user', '-created_at'], name='notificatio_user_id_05b4bc_idx'), models.Index(condition=models.Q(('read_at__isnull', True)), fields=['user'], name='notifications_unread'), models.Index(condition=models.Q(('email__isnull', True), ('how', 'daily')), fields=['created_at'], name='notifications_undigested')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('key', ''), _negated=True), fields=('user', 'kind', 'key'), name='notifications_key_once_a_person')],
                    },
                ),
                migrations.CreateModel(
                    name='Preference',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(max_length=60)),
                        ('how', models.CharField(choices=[('at_once', 'at once'), ('daily', 'in one mail a day'), ('never', 'not by e-mail')], max_length=10)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notification_preferences', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('user', 'kind'), name='notifications_one_preference_a_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='Unsubscribed',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('address', models.EmailField(max_length=254)),
                        ('kind', models.CharField(max_length=60)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                    ],
                    options={
                        'verbose_name_plural': 'unsubscribed addresses',
                        'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('address'), models.F('kind'), name='notifications_unsubscribed_once')],
                    },
                ),
            ]
        ),
    ]
