"""The outside world: Gymnasium, logs, trained policies.

From an environment to a policy for any goal:

    from first_occupancy.interop.skills import skills_of

    skills = skills_of(gymnasium.make("Taxi-v4"), discount=0.95)
    policy = skills.policy_to(skills.nearest(skills.ends, skills.states(observation)))
    action, _ = policy.predict(observation)

| module | |
| --- | --- |
| `skills` | base policies, where they lead, and plans made of them |
| `gym.tables` | the exact MDP of an environment that shows its transition table |
| `gym.table_checks` | whether the table describes the environment that carries it |
| `states`, `discretisers`, `gym.minigrid_poses` | from observations to numbered states |
| `gym.experience`, `gym.exploration`, `learned_worlds` | worlds, chains and FRs from interaction |
| `ends` | states of their own for the ends of episodes, where others go on |
| `base_policies` | arrays, functions and trained models, used alike |
| `data.logs`, `data.minari` | chains and FRs from recorded arrays, or Minari datasets |
| `data.log_intervals` | how sure a log makes one of FRs and plans |
| `plan_policies`, `plan_agents` | plans with `predict`; agents that plan again when surprised |
| `gym.consumable` | tasks in which each reward can be had once |
| `gym.registration` | our worlds as Gymnasium environments |

Modules that need a package of the extra `interop` say so when they are used.
"""
