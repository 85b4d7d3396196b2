"""What is declared and asked: columns, neighbour relation, statistics, plan, study file. No data."""
