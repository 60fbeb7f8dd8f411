"""Goals in continuous worlds: from a log, or from skills, to an agent for any observation.

    log = episodes(observations, actions)        # or read_ogbench, episodes_from_minari
    world = landmark_world(log)                  # once
    plan = plan_to_observation(world, goal)      # per goal; the surest, or discount=0.99 for soon
    agent = GoalAgent(plan)
    action, _ = agent.predict(observation)

| module | |
| --- | --- |
| `landmarks` | points that stand for the observations around them: k-centres, k-means |
| `local_models` | where an action leads near an observation: displacements, jumps |
| `landmark_worlds` | the finite world of landmarks, with pessimism |
| `goal_plans` | plans to an observation, and agents that follow them and replan |
| `certificates` | lower and upper bounds on what an agent will get |
"""
