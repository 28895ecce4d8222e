"""What bindings keep: counted, copied, sealed anew, and deleted."""
