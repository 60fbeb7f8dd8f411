"""Episodes of agents that replan."""

from copy import deepcopy
from types import SimpleNamespace


def run_episode(environment, agent, *, max_steps=10_000, seed=None):
    """Return what an agent does until its goal, the end of the episode or `max_steps`."""
    observation, _ = environment.reset(seed=seed)
    numbering = agent.skills.states
    states, actions, rewards = [numbering(observation)], [], []
    terminated = truncated = False
    replans = agent.replans
    while states[-1] != agent.goal and not (terminated or truncated) and len(actions) < max_steps:
        action, _ = agent.predict(observation)
        before = deepcopy(observation)  # some environments reuse the array they returned
        observation, reward, terminated, truncated, _ = environment.step(action)
        agent.learn(before, action, observation, terminated=terminated)
        states.append((numbering.at_end if terminated else numbering)(observation))
        actions.append(action)
        rewards.append(float(reward))
    return SimpleNamespace(
        states=states,
        actions=actions,
        rewards=rewards,
        reached=states[-1] == agent.goal,
        terminated=bool(terminated),
        truncated=bool(truncated),
        replans=agent.replans - replans,
    )
