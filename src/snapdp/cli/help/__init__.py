"""What a command says of itself: the map, help pages, topics, and hints to the names of now."""
