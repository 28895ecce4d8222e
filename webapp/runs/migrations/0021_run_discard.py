from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0020_runner_stood_by'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='discard',
            field=models.BooleanField(default=False),
        ),
    ]
