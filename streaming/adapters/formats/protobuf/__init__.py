"""Protobuf: declarations compiled by protoc, and messages read and written by them."""
