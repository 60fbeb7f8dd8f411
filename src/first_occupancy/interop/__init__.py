"""Interfaces to Gymnasium, recorded data and trained policies.

From an environment to a policy for any goal:

    from first_occupancy.interop.skills import skills_of

    skills = skills_of(gymnasium.make("Taxi-v4"), discount=0.95)
    plan = skills.plan_to(skills.nearest(skills.ends, skills.states(observation)))
    action, _ = plan.agent().predict(observation)

`environments` has `fo.from_environment`, for which `enumeration` and `gym.tables` do the work;
`skills` plans with base policies, given or learned; `data` reads logs and estimates FRs from them;
`gym.registration` has the worlds of this library as Gymnasium environments. `docs/which.md` says
which to call. Modules that need a package of the extra `interop` raise an error when used without.
"""
