"""Functions that queries bring along, and the modules in WebAssembly that some of them name."""
