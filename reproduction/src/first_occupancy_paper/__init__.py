"""The reproduction of the paper: experiments, the arm, sweeps, and the ledger of their results."""
