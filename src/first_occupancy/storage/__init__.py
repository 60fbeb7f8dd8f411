"""The library's own files: archives of arrays, and saved records."""
