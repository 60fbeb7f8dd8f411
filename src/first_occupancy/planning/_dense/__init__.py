"""Engines of FR-planning with dense tables of FRs."""
