"""Number runs in the order of their requests, because the clocks of web servers may differ.

A web process of the previous release assigns no numbers. On PostgreSQL, where it may run next to this one, a trigger
does. SQLite has one installation of one release.
"""

from django.db import migrations, models

NUMBERS = """
CREATE FUNCTION punctual_number_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.number = 0 THEN
    SELECT COALESCE(MAX(number), 0) + 1 INTO NEW.number FROM runs_run WHERE organisation_id = NEW.organisation_id;
  END IF;
  RETURN NEW;
END $$
"""
TRIGGER = "CREATE TRIGGER punctual_number_run BEFORE INSERT ON runs_run FOR EACH ROW EXECUTE FUNCTION punctual_number_run()"


def make(apps, schema_editor):
    """Make the trigger."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(NUMBERS)
        schema_editor.execute(TRIGGER)


def remove(apps, schema_editor):
    """Remove it."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER punctual_number_run ON runs_run")
        schema_editor.execute("DROP FUNCTION punctual_number_run")


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0022_version_change'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='run',
            options={'base_manager_name': 'objects', 'default_manager_name': 'objects', 'ordering': ('-number', '-created_at', '-id')},
        ),
        migrations.AddField(
            model_name='run',
            name='number',
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['organisation', '-number', '-created_at', '-id'], name='run_by_number'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['binding', '-number', '-created_at', '-id'], name='run_of_binding_by_number'),
        ),
        migrations.RunPython(make, remove),
    ]
