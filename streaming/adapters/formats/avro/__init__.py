"""Avro: schemas, and messages read and written by them."""
