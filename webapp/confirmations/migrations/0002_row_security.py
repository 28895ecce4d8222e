from django.db import migrations

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('confirmations', '0001_initial'),
    ]

    operations = [
        EnableRowSecurity("Confirmation"),
    ]
