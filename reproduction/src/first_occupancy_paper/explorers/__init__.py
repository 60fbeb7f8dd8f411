"""Agents that explore finite worlds: by plans over FRs, and methods of the literature as peers."""
