from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0026_repair_lost'),
    ]

    operations = [
        migrations.AddField(
            model_name='binding',
            name='freshness_level',
            field=models.JSONField(null=True),
        ),
    ]
