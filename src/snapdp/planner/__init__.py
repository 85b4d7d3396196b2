"""What a release is worth before it is paid for: error, interval, bias, clamping, from the exact law. No data."""
