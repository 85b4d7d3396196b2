"""What a floating-point program loses: language, machine, rules, loss, certificate, report, export, python."""
