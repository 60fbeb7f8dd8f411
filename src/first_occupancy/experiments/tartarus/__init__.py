"""Rats and humans in the Tartarus maze: which model describes their choices?"""
