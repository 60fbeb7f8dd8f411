"""Mice in a labyrinth: turning biases, Markov chains, and plans to the exit or to water."""
