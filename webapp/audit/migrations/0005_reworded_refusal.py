from django.db import migrations

from webapp.audit.append_only import RefuseChanges


class Migration(migrations.Migration):

    dependencies = [
        ('audit', '0004_impersonator'),
    ]

    operations = [
        RefuseChanges('auditevent'),
    ]
