"""Beyond the paper: does planning towards novelty explore better than a bonus?"""
