"""Encrypt the secrets of second factors, which were stored as plain text."""

from django.db import migrations

from accounts.domain.sealing import plain_data, sealed_data


def _change(apps, change):
    for row in apps.get_model("mfa", "Authenticator").objects.filter(type__in=("totp", "recovery_codes")):
        row.data = change(row.data)
        row.save(update_fields=["data"])


def seal(apps, schema_editor):
    _change(apps, sealed_data)


def unseal(apps, schema_editor):
    _change(apps, plain_data)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial"), ("mfa", "0003_authenticator_type_uniq")]
    operations = [migrations.RunPython(seal, unseal)]
