from core.audit.immutable import keep_rows
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("federation", "0001_initial")]

    operations = [
        keep_rows(
            {
                "federation_signedmessage": "messages of sites are never changed",
                "federation_sitepackage": "packages of sites are never changed",
            }
        ),
    ]
