"""Is the FR higher for shorter paths? (Fig. "FR_vs_sr")."""
