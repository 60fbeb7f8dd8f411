"""The ledger: a page of what the rows say about each claim."""
