"""The report of a release, made to be published: its front, its results, and an annex for whoever checks it."""
