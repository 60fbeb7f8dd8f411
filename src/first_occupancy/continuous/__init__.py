"""Goals in continuous worlds: from a log, or from skills, to an agent for any observation.

    log = fo.Episodes(observations, actions)     # or read_ogbench, episodes_from_minari
    world = landmark_world(log)                  # once
    plan = fo.plan(world, goal)                  # per goal; the surest, or discount=0.99 for soon
    agent = plan.agent()
    action, _ = agent.predict(observation)

    log = skill_episodes(simulator, skills, num_episodes=1000, num_steps=100)    # or from skills
    world = skill_world(log, skills)
    plan = fo.plan(world, inside, discount=0.99)             # a goal may be a region

| module | |
| --- | --- |
| `landmarks` | points that stand for the observations around them: k-centres, k-means |
| `local_models` | where an action leads near an observation: displacements, jumps |
| `landmark_worlds` | the finite world of landmarks, with pessimism |
| `skill_models`, `skill_worlds` | the same from skills that were tried out instead of actions |
| `goal_plans` | plans to an observation, how likely they are to arrive |
| `followers` | agents that follow plans, and turn away from where they stall |
| `region_plans` | plans to any region of observations |
| `certificates` | lower and upper bounds on what an agent will get |
"""
