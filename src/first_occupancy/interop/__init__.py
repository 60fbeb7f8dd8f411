"""Interfaces to Gymnasium, recorded data and trained policies.

From an environment to a policy for any goal:

    from first_occupancy.interop.skills import skills_of

    skills = skills_of(gymnasium.make("Taxi-v4"), discount=0.95)
    plan = skills.plan_to(skills.nearest(skills.ends, skills.states(observation)))
    action, _ = plan.agent().predict(observation)

| module | |
| --- | --- |
| `environments` | from any environment to a world: `fo.from_environment` |
| `skills` | base policies, the Markov chains they induce, and plans made of them |
| `gym.tables` | the exact MDP of an environment that has a transition table |
| `gym.table_checks` | checks that the table describes the environment |
| `states` | from observations to numbered states |
| `gym.experience`, `gym.exploration`, `learned_worlds` | worlds, chains and FRs from interaction |
| `enumeration` | exact worlds of environments whose state can be copied |
| `ends` | separate terminal states, where other episodes continue |
| `base_policies` | arrays, functions and trained models as base policies |
| `data.logs`, `data.minari` | chains and FRs from recorded arrays or Minari datasets |
| `data.continuous` | episodes of continuous worlds from OGBench's files or Minari datasets |
| `data.resampled_logs` | FRs of resampled logs |
| `data.corrected_intervals` | bias-corrected estimates and intervals for FRs, SRs and plans |
| `interfaces`, `plan_agents` | what agents see and do; agents that replan when surprised |
| `gym.registration` | the worlds of this library as Gymnasium environments |

Modules that need a package of the extra `interop` raise an error when used without it.
"""
