"""In which order to visit many goals, and whether plans work as options (appendix)."""
