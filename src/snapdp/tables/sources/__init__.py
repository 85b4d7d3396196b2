"""Where rows come from: CSV, Parquet, DuckDB files, frames and columns, all seen as one shape."""
