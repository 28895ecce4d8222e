from django.db import migrations

from webapp.core.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('queries', '0003_author_label'),
    ]

    operations = [
        EnableRowSecurity(),
    ]
