"""Budgets: accounts with a cap, the chain of their entries, and where they are stored. It never sees a row."""
