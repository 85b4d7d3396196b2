"""The page: plan, release and audit in a browser. Translations between JSON and the library, like the command line."""
