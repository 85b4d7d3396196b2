-- Format 2: where the ledger lives, and which log its file needs (the mark, in the file's first page, is new with it).
-- docs/theory/ledger.md, (10)-(11).
CREATE TABLE place (log INTEGER NOT NULL, before INTEGER NOT NULL, home TEXT NOT NULL);
INSERT INTO place VALUES (0, 0, :home);

-- A ledger that has been in use: its row gets the new format and seal.
DROP TRIGGER no_update_of_ledger;
UPDATE ledger SET format = 2, seal = :seal;
CREATE TRIGGER no_update_of_ledger BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'append only'); END;
