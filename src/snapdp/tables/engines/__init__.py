"""What runs the statements: DuckDB here, Spark in a cluster, PostgreSQL on its server."""
