"""How plans look on a terminal, and what machines read of them."""
