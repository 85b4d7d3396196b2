"""How anything is shown: text from outside made visible, in words where a number does not say enough."""
