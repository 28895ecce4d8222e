"""What every part of the web application stands on: tenancy, the error envelope, security headers."""
