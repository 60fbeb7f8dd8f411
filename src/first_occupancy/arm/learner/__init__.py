"""DDPG, APS and APF: networks, replay, updates, and training of many runs in lockstep."""
