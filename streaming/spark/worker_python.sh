#!/bin/sh
# The interpreter of Spark's Python processes: a launcher, which has the fork server make them (worker_launcher.py).
exec "$ENGINE_PYTHON" -I -S -E "${0%/*}/worker_launcher.py" "$@"
