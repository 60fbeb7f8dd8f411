"""Does planning with the FR chain policies into a shorter path? (Fig. "simple_planning")."""
