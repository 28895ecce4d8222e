from django.db import migrations

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0004_started_by_label'),
    ]

    operations = [
        EnableRowSecurity(),
    ]
