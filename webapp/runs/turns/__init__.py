"""One turn of an organisation or a pool, which drives the observed state to the desired one."""
