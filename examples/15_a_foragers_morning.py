# %% [markdown]
# # A forager's morning
#
# Berries are eaten once: the second visit to a bush finds nothing. First-occupancy representations
# (FRs) are made for such rewards, because they count only first visits. Where should a forager go
# first, if what it finds late is worth less?

# %%
import numpy as np

import first_occupancy as fo
from first_occupancy import plotting

world = fo.four_rooms()
berries = {(1, 9): 1.0, (9, 9): 0.4, (3, 2): 0.7, (4, 8): 0.5, (6, 7): 0.3, (1, 4): 0.6}
trip = fo.collect(world, berries, start=(9, 1), discount=0.95)
print(trip)

# %% [markdown]
# The picture shows the way, and how much has been collected by when.

# %%
figure = fo.plot(trip)
plotting.save(figure, "forager.svg")
figure

# %% [markdown]
# Without chance, no strategy collects more: `upper_bound` equals `expected_return`. Planning took
# six plans, one to each bush. The exact problem has a state for each cell and each set of bushes
# that are left, 67 times 64 of them here, and twice as many with every further bush.

# %%
print(f"{trip.expected_return:.6f} of at most {trip.upper_bound:.6f}")

# %% [markdown]
# ## Slipping
#
# Now one step in five goes astray. The order promises a bit less than what is achieved, because an
# agent that looks again in every state profits from luck: it may be blown onto a bush, or nearer to
# another one.

# %%
slippery = fo.four_rooms(noise=0.2)
trip = fo.collect(slippery, berries, start=(9, 1), discount=0.95)
print(f"promised {trip.promised:.4f}, achieved {trip.expected_return:.4f}")
print(f"no strategy collects more than {trip.upper_bound:.4f}: {trip.gap:.2%} are missing")

# %%
walked = trip.simulate(1000)
print(f"simulated 1,000 times: {walked.mean:.3f} ± {walked.standard_error:.3f}")

# %% [markdown]
# ## Others are hungry, too
#
# On the way, a competitor eats the berries at (1, 9), and the forager smells others at (7, 3). It
# says so to its agent, which goes on from where it is.

# %%
agent = fo.collect(world, berries, start=(9, 1), discount=0.95).agent()
here = world.state(9, 1)
for step in range(60):
    action, _ = agent.predict(here)
    if agent.target is None:
        break
    if step == 4:
        agent.change({(1, 9): 0.0, (7, 3): 0.8})
        action, _ = agent.predict(here)
        print("now it heads for", world.cell(agent.target))
    here = int(world.next_states[action, here])
print("eaten:", [(world.cell(state), worth) for state, worth in agent.taken])

# %% [markdown]
# ## Home before noon
#
# With `last`, the trip ends at the nest. Thirty bushes in an open field are more than can be
# ordered exactly. Then the order is searched, and a bound says how good it is.

# %%
rng = np.random.default_rng(1)
field = fo.maze(["." * 20] * 20)
bushes = {int(s): float(rng.uniform(0.2, 1)) for s in rng.choice(400, 30, replace=False)}
trip = fo.collect(field, bushes, start=(10, 10), last=(10, 10), discount=0.98)
print(f"{trip.expected_return:.3f} of at most {trip.upper_bound:.3f}, a gap of {trip.gap:.1%}")
figure = fo.plot(trip)
plotting.save(figure, "nest.svg")
figure
