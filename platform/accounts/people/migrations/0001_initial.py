import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('object_id', models.PositiveBigIntegerField()),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail address')),
                ('role', models.CharField(help_text="a role that the target's policy names", max_length=20)),
                ('token_digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('state', models.CharField(choices=[('open', 'open'), ('accepted', 'accepted'), ('declined', 'declined'), ('withdrawn', 'withdrawn')], default='open', max_length=10)),
                ('is_mailed', models.BooleanField(default=True, help_text='no letter goes out to an address that unsubscribed')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('expires_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('closed_by', models.ForeignKey(blank=True, help_text='who accepted, declined or withdrew it; none for somebody without an account', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('content_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='contenttypes.contenttype')),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
                'indexes': [models.Index(fields=['content_type', 'object_id'], name='people_invitation_target')],
                'constraints': [models.UniqueConstraint(models.F('content_type'), models.F('object_id'), django.db.models.functions.text.Lower('email'), condition=models.Q(('state', 'open')), name='people_one_open_invitation'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at__isnull', True), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('closed_at__isnull', False)), _connector='OR'), name='people_invitation_closed_exactly_when_dated')],
            },
        ),
    ]
