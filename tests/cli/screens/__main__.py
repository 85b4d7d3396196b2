"""Write all screens anew: python -m tests.cli.screens."""

from tests.cli.screens import FOLDER, known_offences, offences, write_all, written

write_all()
print(f"written: {len(list(FOLDER.glob('*.txt')))} screens")
new = {name: words for name, words in offences(written()).items() if words != known_offences().get(name)}
for name, words in new.items():
    print(f"{name} has words that no data holder should have to read: {', '.join(words)}")
