"""Settings of the web application under test: those of an installation on one's own machine, with data of its own."""

import atexit
import os
import shutil
import tempfile

if "PUNCTUAL_DATA" not in os.environ:
    os.environ["PUNCTUAL_DATA"] = tempfile.mkdtemp(prefix="punctual-tests-")
    atexit.register(shutil.rmtree, os.environ["PUNCTUAL_DATA"], ignore_errors=True)
os.environ.setdefault("PUNCTUAL_EMBEDDED", "1")
if "PUNCTUAL_KILLS" in os.environ:  # for tests/faults; an installation refuses settings that it does not know
    os.environ["KILLS"] = os.environ.pop("PUNCTUAL_KILLS")

from webapp.settings import *  # noqa: F403 - the environment must stand before it is read

REQUESTS_PER_SECOND = 0  # a test sends more than any person
MAIL_GOES_OUT = True  # Django's test runner keeps mails in a list
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
MFA_ALLOW_UNVERIFIED_EMAIL = False
