"""Runners on clusters: manifests for Kubernetes and a script for YARN."""
