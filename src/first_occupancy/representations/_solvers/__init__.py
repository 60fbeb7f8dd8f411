"""Engines that solve for occupancies: dense elimination, sparse factors, banded blocks."""
