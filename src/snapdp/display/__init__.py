"""How anything is shown: numbers, visible text, addresses without passwords, pictures, the frame of a page."""
