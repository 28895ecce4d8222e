"""HTTP: middleware, limits of bodies and connections, the page and its assets, headers, probes."""
