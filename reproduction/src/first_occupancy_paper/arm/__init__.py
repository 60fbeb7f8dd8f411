"""The Jaco arm (Fig. "apf"): its simulated world, the agents that learn in it, and their training.

| looking for | folder |
| --- | --- |
| the arm in MuJoCo: tasks, observations, rewards, pictures, Gymnasium ids | `world` |
| DDPG, APS and APF: networks and updates as pure functions of one run | `learner` |
| many runs in lockstep: how they act, learn and are evaluated | `training` |
| a run from beginning to end: settings, checkpoints, rows on disk | `runs` |

`learner` knows neither the arm nor MuJoCo, `training` needs any simulated world, and `runs` brings
them together. `experiments.jaco_reaching` asks the paper's question of the rows.
"""
