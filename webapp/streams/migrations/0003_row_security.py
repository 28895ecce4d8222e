from django.db import migrations

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('streams', '0002_alter_stream_definition'),
    ]

    operations = [
        EnableRowSecurity(),
    ]
