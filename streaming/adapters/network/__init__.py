"""Connections to the outside: only to addresses that the installation allows, checked at the moment of connecting."""
