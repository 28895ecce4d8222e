"""Own functions in WebAssembly: modules, and calls of their functions (T60, T61)."""
