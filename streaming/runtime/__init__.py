"""The runner process: one Spark session of one organisation, its carriers and its reports."""
