"""The basis of the web application: tenancy, the error envelope, security headers."""
