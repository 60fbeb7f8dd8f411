"""Rats and humans in the Tartarus maze: which model describes their choices?

| looking for | module |
| --- | --- |
| the recordings, from a folder that the user names | `recorded` |
| the models | `candidates` |
| fits, held-out likelihoods and disagreements | `run` |
| phases of learning; simulated trials beside recorded ones | `phases`, `simulated` |
| the ledger's lines, and the figures | `find`, `find_moves`, `plot` |
"""
