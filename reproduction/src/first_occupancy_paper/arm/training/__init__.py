"""Training of many runs in lockstep, in worlds that are simulated on the host.

| looking for | module |
| --- | --- |
| one step of training: act, learn while the world simulates, remember | `training_step` |
| all runs of one agent, each call mapped over them | `lockstep` |
| evaluation: episodes without noise | `evaluation_episodes` |
| sums of metrics between two evaluations | `tally` |
| the protocol of a simulated world, and two of them that alternate | `simulated_worlds` |
"""
