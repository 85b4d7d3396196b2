"""What is handed out: the two distributions, installed in environments that have never seen the tree."""
