"""Plans: what is asked, what each line costs and is worth, what helps where it is not enough, all in words."""
