"""Engines that solve for occupancies: dense elimination, sparse factorisation, banded blocks."""
