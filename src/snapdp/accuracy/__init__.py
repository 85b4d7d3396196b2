"""What one mechanism is worth, and tables of several made consistent: error, interval, clamp, bias, price. No data."""
