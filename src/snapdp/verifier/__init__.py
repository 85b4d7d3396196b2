"""What a floating-point program loses: language, rules, exact execution, certificates."""
