-- A ledger in a file: what it is, where each account stands, the entries of the chains, the versions of contents, where the file
-- lives and which log it needs. A statement of one line each: SQLite keeps the text as it is written here, and verify compares it.
-- docs/theory/ledger.md, (1)-(5), (10)-(13).
CREATE TABLE ledger (format INTEGER NOT NULL, schema TEXT NOT NULL, name TEXT NOT NULL, key BLOB NOT NULL, seal TEXT NOT NULL);
CREATE TABLE standing (account TEXT NOT NULL PRIMARY KEY, entries INTEGER NOT NULL, spent TEXT NOT NULL, head TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entry (account TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, version TEXT, request TEXT, reserve INTEGER, body TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (account, number));
CREATE TABLE dataset (keyed TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, version TEXT NOT NULL UNIQUE, seal TEXT NOT NULL) WITHOUT ROWID;

CREATE INDEX entry_by_request ON entry (account, version, request);
CREATE UNIQUE INDEX one_answer ON entry (account, version, request) WHERE kind = 'commit';
CREATE UNIQUE INDEX one_closing ON entry (account, reserve) WHERE reserve IS NOT NULL;
CREATE INDEX amendments ON entry (account, number) WHERE kind IN ('amend', 'close');

-- The last page of a new file, the first to be lost.
CREATE TABLE place (log INTEGER NOT NULL, before INTEGER NOT NULL, home TEXT NOT NULL);

-- Nothing is ever changed or removed; `standing` and `place` alone move. A closed account takes no charge.
CREATE TRIGGER one_ledger BEFORE INSERT ON ledger WHEN (SELECT count(*) FROM ledger) > 0 BEGIN SELECT RAISE(ABORT, 'one ledger in a file'); END;
CREATE TRIGGER no_update_of_ledger BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_delete_of_ledger BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_update_of_entry BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_delete_of_entry BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_update_of_dataset BEFORE UPDATE ON dataset BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_delete_of_dataset BEFORE DELETE ON dataset BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_delete_of_standing BEFORE DELETE ON standing BEGIN SELECT RAISE(ABORT, 'append only'); END;
CREATE TRIGGER no_charge_of_closed BEFORE INSERT ON entry WHEN NEW.kind IN ('reserve', 'amend', 'close') AND EXISTS (SELECT 1 FROM entry WHERE account = NEW.account AND kind IN ('amend', 'close') AND kind = 'close') BEGIN SELECT RAISE(ABORT, 'the account was closed'); END;
