#!/usr/bin/env python
"""Run a management command of the web application."""

import os
import sys

from deploy.serve.servers import manage

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
    sys.exit(manage(sys.argv[1:], program="manage.py"))
