"""Rats and humans in the Tartarus maze: which model describes their choices?

| looking for | module |
| --- | --- |
| the recordings, from a folder that the user names, and the models | `candidates` |
| fits, held-out likelihoods and disagreements | `run` |
| choices at which two models disagree | `disagreements` |
| phases of learning; simulated trials next to recorded ones | `simulated` |
| numbers of stored rows | `numbers` |
| the ledger's lines, and the figures | `find`, `find_moves`, `plot` |
"""
