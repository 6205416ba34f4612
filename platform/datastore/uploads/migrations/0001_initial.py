import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from core.audit.migrating import CreateModels


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '__first__'),
        ('challenges', '0001_initial'),
    ]

    operations = [
        CreateModels(
            [
                migrations.CreateModel(
                    name='Upload',
                    fields=[
                        ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                        ('file_name', models.CharField(max_length=255)),
                        ('size', models.PositiveBigIntegerField(help_text='bytes, as declared before the first of them arrived')),
                        ('offset', models.PositiveBigIntegerField(default=0, help_text='bytes received and kept')),
                        ('state', models.CharField(choices=[('receiving', 'receiving'), ('complete', 'complete'), ('refused', 'refused'), ('cancelled', 'cancelled'), ('expired', 'expired')], default='receiving', max_length=12)),
                        ('refusal', models.CharField(blank=True, help_text='why nothing became of it', max_length=500)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('expires_at', models.DateTimeField()),
                        ('accept_incomplete', models.BooleanField(default=False, help_text='score without asking when cases are missing')),
                        ('phase', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='challenges.phase')),
                        ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='challenges.team')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-created_at'],
                        'indexes': [models.Index(fields=['state', 'expires_at'], name='uploads_upl_state_ae3623_idx')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('offset__lte', models.F('size'))), name='uploads_upload_within_size'), models.CheckConstraint(condition=models.Q(models.Q(('state', 'complete'), _negated=True), ('offset', models.F('size')), _connector='OR'), name='uploads_complete_upload_is_whole')],
                    },
                ),
                migrations.CreateModel(
                    name='Multipart',
                    fields=[
                        ('upload', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='multipart', serialize=False, to='uploads.upload')),
                        ('name', models.CharField(help_text='of the object that its parts become', max_length=300, unique=True)),
                        ('store_id', models.CharField(blank=True, help_text="the store's id of this upload", max_length=1024)),
                        ('part_bytes', models.PositiveBigIntegerField(help_text='size of all parts but the last')),
                        ('checksum', models.CharField(blank=True, help_text='over the digests of all parts, once their sender has named them', max_length=60)),
                        ('is_open', models.BooleanField(default=True, help_text="the store may hold something of it that is no submission's")),
                    ],
                    options={
                        'indexes': [models.Index(fields=['is_open'], name='uploads_mul_is_open_0f1940_idx')],
                    },
                ),
            ]
        ),
    ]
