"""Exploration methods of the literature, to compare the explorer with.

All of them know the numbers of states and actions and the largest reward, which is 1 in their
units. `trials` runs them.

| method | here | source |
| --- | --- | --- |
| R-MAX | `optimism.OptimisticPlanner(known=m)` | Brafman and Tennenholtz 2002 |
| MBIE-EB | `optimism.OptimisticPlanner(bonus=beta)` | Strehl and Littman 2008 |
| PSRL | `posterior_sampling.PosteriorSampler` | Strens 2000; Osband, Russo and Van Roy 2013 |
| optimistic Q-learning | `optimistic_q.OptimisticQ` | Jin et al. 2018; Dong et al. 2019 |
"""
