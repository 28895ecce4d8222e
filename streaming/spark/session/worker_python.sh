#!/bin/sh
# The interpreter of Spark's Python processes: a launcher that gets them from the fork server (worker_launcher.py).
exec "$ENGINE_PYTHON" -I -S -E "${0%/*}/worker_launcher.py" "$@"
