"""Write all screens anew: python -m tests.cli.screens."""

from tests.cli.screens import FOLDER, write_all

write_all()
print(f"written: {len(list(FOLDER.glob('*.txt')))} screens")
