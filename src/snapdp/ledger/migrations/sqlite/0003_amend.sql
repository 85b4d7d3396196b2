-- Format 3: entries that raise the cap of an account ('amend') or close it ('close'). docs/theory/ledger.md, (12)-(13).
CREATE INDEX amendments ON entry (account, number) WHERE kind IN ('amend', 'close');

-- An older version that has the file open knows no amendments. Its cap is the first one, which is the lowest; that an account was
-- closed it is told here.
CREATE TRIGGER no_charge_of_closed BEFORE INSERT ON entry WHEN NEW.kind IN ('reserve', 'amend', 'close') AND EXISTS (SELECT 1 FROM entry WHERE account = NEW.account AND kind IN ('amend', 'close') AND kind = 'close') BEGIN SELECT RAISE(ABORT, 'the account was closed'); END;

-- A ledger that has been in use: its row gets the new format and seal.
DROP TRIGGER no_update_of_ledger;
UPDATE ledger SET format = 3, seal = :seal;
CREATE TRIGGER no_update_of_ledger BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'append only'); END;
