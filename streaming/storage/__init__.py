"""Results, quarantine and blobs on a disk or an object store; one interface for both."""
