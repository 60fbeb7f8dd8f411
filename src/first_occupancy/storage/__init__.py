"""Our own files: archives of arrays, checkpoints of computations, and saved records."""
