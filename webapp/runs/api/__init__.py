"""HTTP of bindings and runs: what is asked, who may, and how it is answered."""
