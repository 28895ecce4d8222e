"""Runners on clusters: what Kubernetes and YARN are given so that a runner computes there."""
