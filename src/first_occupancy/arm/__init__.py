"""The Jaco arm (Fig. "apf"): its world, the agents that learn in it, and runs of their training.

`world` is the simulated arm, `learner` has DDPG, APS and APF, and `runs` trains them from beginning
to end with checkpoints. `experiments.jaco_reaching` asks the paper's question of the rows.
"""
