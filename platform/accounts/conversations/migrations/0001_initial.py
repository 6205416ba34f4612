import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Thread',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('object_id', models.PositiveBigIntegerField()),
                        ('topic', models.CharField(blank=True, help_text='what of the target it is about, a parameter for example', max_length=80)),
                        ('part', models.CharField(blank=True, help_text="in which part of the target, a task's key for example", max_length=60)),
                        ('title', models.CharField(blank=True, max_length=150)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('last_post_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('closed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('content_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='contenttypes.contenttype')),
                    ],
                    options={
                        'ordering': ['created_at', 'pk'],
                        'indexes': [models.Index(fields=['content_type', 'object_id', '-last_post_at'], name='conversations_newest_first')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('closed_by__isnull', True)), models.Q(('closed_at__isnull', False), ('closed_by__isnull', False)), _connector='OR'), name='conversations_closed_by_somebody')],
                    },
                ),
                migrations.CreateModel(
                    name='Subscription',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('object_id', models.PositiveBigIntegerField()),
                        ('content_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='contenttypes.contenttype')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('thread', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='subscriptions', to='conversations.thread')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('thread__isnull', False)), fields=('thread', 'user'), name='conversations_one_subscription_a_thread'), models.UniqueConstraint(condition=models.Q(('thread__isnull', True)), fields=('content_type', 'object_id', 'user'), name='conversations_one_subscription_a_target')],
                    },
                ),
                migrations.CreateModel(
                    name='Post',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField(max_length=20000)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('hidden_at', models.DateTimeField(blank=True, null=True)),
                        ('hidden_reason', models.CharField(blank=True, max_length=300)),
                        ('is_answer', models.BooleanField(default=False)),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('hidden_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='posts', to='conversations.thread')),
                    ],
                    options={
                        'ordering': ['created_at', 'pk'],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('is_answer', True)), fields=('thread',), name='conversations_one_answer'), models.CheckConstraint(condition=models.Q(('hidden_at__isnull', False), models.Q(('hidden_by__isnull', True), ('hidden_reason', '')), _connector='OR'), name='conversations_hidden_is_dated'), models.CheckConstraint(condition=models.Q(('is_answer', False), ('hidden_at__isnull', True), _connector='OR'), name='conversations_answer_is_seen')],
                    },
                ),
            ]
        ),
    ]
