#!/bin/sh
# The interpreter of Spark's Python processes: $ENGINE_PYTHON without Spark's archive of pyspark, which Spark puts in
# front of the path. What is imported from an archive is compiled anew in every process: a second of processor each.
PYTHONPATH=$(printf '%s' "$PYTHONPATH" | sed 's|[^:]*/pyspark\.zip:||g; s|:*[^:]*/pyspark\.zip$||')
export PYTHONPATH
exec "$ENGINE_PYTHON" "$@"
