"""Does planning with the FR escape as mice do? (Fig. "mouse")."""
