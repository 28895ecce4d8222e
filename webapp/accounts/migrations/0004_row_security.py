from django.db import migrations

from webapp.core.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_organisations'),
    ]

    operations = [
        EnableRowSecurity(),
    ]
