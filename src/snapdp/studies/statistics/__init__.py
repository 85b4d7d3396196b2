"""The statistics: integer numerators with sensitivity, public range and factor, under a neighbour relation."""
