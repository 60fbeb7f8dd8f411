"""Would a comparison of models find the model that made the choices?

| looking for | module |
| --- | --- |
| simulated subjects, and fits of all models to them | `run` |
| the ledger's lines, and the figure | `find`, `plot` |
"""
