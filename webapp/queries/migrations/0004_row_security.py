from django.db import migrations

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('queries', '0003_author_label'),
    ]

    operations = [
        EnableRowSecurity(),
    ]
