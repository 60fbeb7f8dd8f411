"""Engines of tours: each takes lengths between nodes and returns an order of them.

Node 0 is the start. A tour visits every other node once and then returns to node 0; where it may
end anywhere, returning has length 0. Legs that cannot be made have infinite length.
"""
