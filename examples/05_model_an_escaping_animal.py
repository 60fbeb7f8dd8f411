# %% [markdown]
# # Model an escaping animal
#
# A mouse explores an arena from its shelter. A threat appears at the far side, and the mouse runs
# for the shelter, straight into a barrier that it has not learned about yet. On a later trial it
# runs past the edge of the barrier. The paper models this behaviour with FR-planning, using FRs
# that are learned along the way.
#
# This page builds that agent, shows that the update as printed in the paper cannot get it around
# the barrier, and adds what is missing.

# %%
import numpy as np

import first_occupancy as fo
from first_occupancy import planning, plotting

DISCOUNT, STEP_SIZE = 0.99, 0.05
arena = fo.escape_arena(17)
THREAT, SHELTER = arena.start, arena.goals[0]
DOWN = arena.action_names.index("down")

# %% [markdown]
# ## The animal
#
# It has eight skills, one for each direction, and a table of FRs. At first it knows nothing: each
# state reaches only itself.


# %%
def newborn():
    """Return FRs [8 S S] before any experience."""
    return np.repeat(np.eye(arena.num_states)[None], arena.num_actions, axis=0)


# %% [markdown]
# **Exploration** is five walks from the shelter that choose a random skill at each step. Every step
# teaches the FR of the skill that was used. The steps form a log of (state, next state, skill), and
# one call learns from all of it.


# %%
def explore(frs, rng, *, episodes=5, steps=80):
    """Return the FRs after random walks from the shelter."""
    states, next_states, skills = [], [], rng.integers(arena.num_actions, size=episodes * steps)
    for time, skill in enumerate(skills):
        here = SHELTER if time % steps == 0 else next_states[-1]
        states.append(here)
        next_states.append(arena.next_states[skill, here])
    learn = {"discount": DISCOUNT, "step_size": STEP_SIZE}
    return np.array(
        fo.first_occupancy.td_learn_log(
            frs, np.array(states), np.array(next_states), skills, **learn
        )
    )


# %% [markdown]
# **Escape** takes at most 50 steps from the threat. At each step the animal plans again with its
# current FRs, follows the planned skill, and learns from the outcome. Where it has no plan, it
# falls back on *down*, the direct way to the shelter. After its first bump into an obstacle,
# `after_bump` chooses this fallback instead.


# %%
def escape(frs, after_bump):
    """Return the FRs after a trial, the states it went through, and the number of bumps."""
    frs, path, bumps = frs.copy(), [THREAT], 0
    while path[-1] != SHELTER and len(path) <= 50:
        here = path[-1]
        skill = int(planning.plan_to_goal(frs, SHELTER).policy[here])
        if skill < 0:
            skill = after_bump(here) if bumps else DOWN
        there = int(arena.next_states[skill, here])
        moved = np.asarray(fo.first_occupancy.target(here, frs[skill, there], discount=DISCOUNT))
        frs[skill, here] += STEP_SIZE * (moved - frs[skill, here])
        bumps += there == here
        path.append(there)
    return frs, path, bumps


# %% [markdown]
# ## As printed
#
# Explore, escape, explore, escape. The fallback is always *down*.


# %%
def life(seed, after_bump):
    """Return the paths of two trials, each after exploration; print what happened."""
    rng, frs, paths = np.random.default_rng(seed), newborn(), []
    for trial in (1, 2):
        frs = explore(frs, rng)
        frs, path, bumps = escape(frs, after_bump)
        end = "in the shelter" if path[-1] == SHELTER else "still out"
        print(f"trial {trial}: bumps {bumps}, {end} after {len(path) - 1} steps")
        paths.append(path)
    return paths


printed = life(seed=1, after_bump=lambda here: DOWN)

# %% [markdown]
# Both trials end at the barrier. Why does learning not help? A bump is a step from $s$ to $s$. Its
# TD error is $(\gamma - 1)\,F(s, s')$ for every other state $s'$, so an entry shrinks by a fraction
# $\alpha (1 - \gamma) = 0.0005$, and a row that knows nothing yet does not change at all. In none
# of the ledger's runs did the bumps of a trial change the plan.
#
# ## With a sense of touch
#
# The paper says that "sensory input prompts rapid re-planning", but not how. Suppose that after its
# first bump the animal feels which moves are blocked where it stands, and takes the most downward
# of the others. Plans still take precedence.

# %%
ORDER = ("down", "down-left", "down-right", "left", "right", "up-left", "up-right", "up")
PREFERRED = [arena.action_names.index(name) for name in ORDER]


def feel(here):
    """Return the most downward move that is not blocked."""
    return next(skill for skill in PREFERRED if arena.next_states[skill, here] != here)


feeling = life(seed=1, after_bump=feel)

# %%
figure, axes = plotting.figure(1, 2, size=(6.4, 3.0))
for ax, title, paths in zip(axes[0], ("as printed", "with touch"), (printed, feeling), strict=True):
    plotting.draw_world(ax, arena)
    plotting.trajectories(ax, arena, paths, labels=["trial 1", "trial 2"])
    plotting.mark_start_and_goals(ax, arena)
    plotting.label_axes(ax, title=title)
axes[0, 1].legend(fontsize=8, loc="lower right")
plotting.save(figure, "escapes.svg")
figure

# %% [markdown]
# In the first trial the animal bumps once and finds its way along the barrier. In the second it
# takes a shorter way without a bump: FR-planning knows the way from the first trial and from
# further exploration.
#
# ## How general is that?
#
# This is one animal in a small arena. How often each behaviour appears depends on the length of
# exploration, which the paper does not state: after long exploration the animal knows a way around
# the barrier before the first threat, and never bumps into it. The experiment `escape` runs the
# paper's 25 x 25 arena with several lengths and many animals, and with the SR for contrast. The
# [ledger](../../ledger.md) lists the rates with their intervals.
#
# To model your own task, replace the arena by a drawing with the same eight moves, the threat at
# `S` and the shelter at `G`: `fo.maze(drawing, moves=EIGHT_MOVES)` after `from
# first_occupancy.environments import EIGHT_MOVES`. You can also change the fallback, or how the
# animal learns: all it knows is in `frs`.
