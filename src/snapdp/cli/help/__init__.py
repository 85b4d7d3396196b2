"""What a command says of itself: the map, help pages, topics, completion, and hints to the names of now."""
