"""Where the results of a binding go: into targets, and into other bindings that read them."""
