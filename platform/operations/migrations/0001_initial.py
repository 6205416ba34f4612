from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("queue", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("seen_at", models.DateTimeField()),
            ],
        ),
    ]
