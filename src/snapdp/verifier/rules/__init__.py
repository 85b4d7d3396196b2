"""The rules that bound every value a program computes, whatever its inputs."""
