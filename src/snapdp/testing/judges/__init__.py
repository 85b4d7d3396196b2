"""What the replays say: what tells inputs apart, movement, laws of noise, events on numbers, floats, conduct."""
