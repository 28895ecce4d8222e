from django.db import migrations

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_organisations'),
    ]

    operations = [
        EnableRowSecurity(),
    ]
