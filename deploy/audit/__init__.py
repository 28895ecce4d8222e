"""`make audit`: known vulnerabilities of the packages in both locks."""
