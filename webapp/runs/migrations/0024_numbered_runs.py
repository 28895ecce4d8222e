"""Number the existing runs by their times.

This is separate from the new column, because PostgreSQL alters no table in a transaction that has changed rows of it.
"""

from django.db import migrations

NUMBER = """
UPDATE runs_run SET number = found.number FROM (
  SELECT id, ROW_NUMBER() OVER (PARTITION BY organisation_id ORDER BY created_at, id) AS number FROM runs_run
) AS found WHERE found.id = runs_run.id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0023_run_number'),
    ]

    operations = [migrations.RunSQL(NUMBER, migrations.RunSQL.noop)]
