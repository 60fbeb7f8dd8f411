"""DDPG, APS and APF, each written for one run; `arm.training` runs many of them in lockstep.

| looking for | module |
| --- | --- |
| settings of an agent, and the state that it learns | `agent_state` |
| actor, critics and feature network | `agent_networks`, made of `layers` |
| the update with rewards: fine-tuning, and DDPG from scratch | `ddpg` |
| the updates without rewards: APS and APF | `pretraining` |
| what fine-tuning takes over from pre-training | `finetuning` |
| tasks: drawn at random, or fitted to rewards | `task_vectors` |
| the reward for exploring | `exploration_reward` |
| bounds on values (`--bounded`) | `value_bounds` |
| experience and how batches are drawn from it | `replay` |
| the optimiser | `adam` |
"""
