"""The library's own files: archives of arrays, checkpoints of computations, and saved records."""
