"""Centred sums and one count, over rows whose number is private: the parts they are, and what follows from them."""
