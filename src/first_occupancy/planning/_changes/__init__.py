"""Plans that follow a changing world: what an edit touches is computed again, and nothing else."""
