"""Fig. "4room_planning": does planning with FRs reach the optimum in a few sweeps?"""
