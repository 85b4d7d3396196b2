"""The corpus: inputs and what they gave, as plain data. bin/corpus replays it while formats and code are redesigned."""
