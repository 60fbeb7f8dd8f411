"""Engines that solve for occupancies: dense elimination and sparse factorisation."""
