"""`python -m webapp.client`, or `python -m punctual_client` if it was installed alone."""

import sys

from .main import main

sys.exit(main())
