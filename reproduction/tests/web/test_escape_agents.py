"""The lab's escaping agents against those of the experiment."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from first_occupancy_paper.experiments.escape import arena
from first_occupancy_paper.experiments.escape.agent import Learning, Rule, escape, explore

SIZE = 25

AGENT = """
async ({ policies, variant, preference, plans, decay }) => {
  const { makeArena, arenaMoves } = await import('/engine/arena.js');
  const { escapeStep, explore } = await import('/engine/escape.js');
  const { makeLearner } = await import('/engine/learner.js');
  const { room, next } = arenaMoves(makeArena(), true);
  const learning = { entering: room.entering, stepSize: 0.05, decay };
  const learner = makeLearner(room.count, 8, learning);
  explore([learner], next, policies, room.goals[0]);
  const learned = learner.rows.reduce((sum, each) => sum + each, 0);
  const states = [room.start];
  let touched = false;
  for (let step = 0; step < 50 && states.at(-1) !== room.goals[0]; step++) {
    const state = states.at(-1), goal = room.goals[0];
    states.push(escapeStep(learner, next, { state, goal, plans, touched, variant, preference }));
    touched ||= states.at(-1) === state;
  }
  return { states, learned, after: learner.rows.reduce((sum, each) => sum + each, 0) };
}
"""


@pytest.mark.parametrize("variant", ["feeling", "printed", "new barrier"])
@pytest.mark.parametrize(("decay", "plans"), [(0.0, True), (1.0, False)])
def test_an_agent_learns_and_escapes_as_the_librarys(engine, variant, decay, plans):
    start, shelter = arena.ends(SIZE)
    moves = jnp.asarray(arena.next_states(SIZE, True))
    count, steps = moves.shape[1], 600
    reps = jnp.repeat(jnp.eye(count)[:, None, :], 8, axis=1)
    learning = Learning(0.99, 0.05, decay)
    reps, log = explore(
        reps, jax.random.key(3), moves, shelter, steps, 1, learning, most_steps=steps
    )
    learned = float(reps.sum())
    rule = Rule(
        settles=jnp.array(variant == "new barrier"),
        feels=jnp.array(variant == "feeling"),
        preference=jnp.asarray(arena.moves_by_preference(1)),
    )
    reps, trial = escape(reps, moves, start, shelter, rule, learning, plans=plans, max_steps=50)
    found = engine(
        AGENT,
        {
            "policies": np.asarray(log.policies).tolist(),
            "variant": variant,
            "preference": arena.moves_by_preference(1),
            "plans": plans,
            "decay": decay,
        },
    )
    assert found["learned"] == pytest.approx(learned, rel=1e-12)
    assert found["states"] == [state for state in trial.states.tolist() if state >= 0]
    assert found["after"] == pytest.approx(float(reps.sum()), rel=1e-12)
