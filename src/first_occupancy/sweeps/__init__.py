"""From experiments to stored rows: jobs, the store, the runner, and the ledger page."""
