"""Python functions as programs: traced on symbols, audited by `@snapdp.audit`."""
