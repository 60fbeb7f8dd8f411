"""Fig. "apf": does pre-training with first-occupancy features speed up learning to reach?

`arm.runs` trains the agents and writes rows; this folder reads them. At the paper's size a run
takes hours on a GPU, so rows are kept with the project.

| looking for | module |
| --- | --- |
| one seed from beginning to end, and the kept rows | `run` |
| from rows to learning curves: which runs belong together | `run_curves` |
| the ledger's lines | `find`, `find_early`, `find_values`; what they share in `comparing` |
| the registered test of bounded values, and its rule | `registered` |
| the registered comparison of APF's variants | `find_variants` |
| the remark on bounded runs at the paper's full size | `find_full_size` |
| the figures | `plot` |
"""
