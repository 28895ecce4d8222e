"""The command line client: `punctual`. Imports httpx, rich and the standard library; shipped alone it needs no more.

Modules of this package import each other by relative names, so that the package works under another name too.
"""

__version__ = "0.1.0"
