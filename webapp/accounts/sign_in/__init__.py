"""Sign-up and sign-in: allauth's headless API, adapted here; see README.md."""
