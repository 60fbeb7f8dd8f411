"""Fig. "ff_mountaincar": do first-occupancy features choose the policy that arrives first?"""
