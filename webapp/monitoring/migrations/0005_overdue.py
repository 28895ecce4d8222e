from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('monitoring', '0004_rollups_of_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='runrollup',
            name='overdue',
            field=models.BigIntegerField(null=True),
        ),
    ]
