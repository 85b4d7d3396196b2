-- Ledger format 3: entries that raise the cap of an account ('amend') or close it ('close'). The keeper appends them, as he
-- appends the first entry of an account; nobody else can. There is no cap but in entries, so none changes without one.
-- docs/theory/ledger.md, (12)-(13).
CREATE INDEX amendments ON snapdp.entry (account, number) WHERE kind IN ('amend', 'close');

-- Whoever may be charged sees by what the cap became what it is, and why.
CREATE FUNCTION snapdp.amendments(asked text) RETURNS SETOF snapdp.entry LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM snapdp.entry WHERE account = asked AND kind IN ('amend', 'close')
$$;

-- The cap in force, and whether a charge is taken at all: asked where the account is locked, or what is read may be old.
CREATE FUNCTION snapdp.cap_of(held text) RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT snapdp.plain(COALESCE(
        (SELECT body FROM snapdp.entry WHERE account = held AND kind IN ('amend', 'close') ORDER BY number DESC LIMIT 1),
        (SELECT body FROM snapdp.entry WHERE account = held AND number = 0))) ->> 'cap'
$$;
CREATE FUNCTION snapdp.takes_charges(held text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT NOT EXISTS (SELECT FROM snapdp.entry WHERE account = held AND kind IN ('amend', 'close') AND kind = 'close')
$$;

-- A reason is one line of at most 500 characters: no control character, no break, nothing that turns the direction of a text.
CREATE FUNCTION snapdp.is_reason(reason json) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
DECLARE
    said text := CASE json_typeof(reason) WHEN 'string' THEN snapdp.raw(reason)::json #>> '{}' END;
BEGIN
    RETURN COALESCE(length(said) <= 500 AND said ~ '[^ ]'
        AND said COLLATE "C" !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', false);
END
$$;

-- As before, and of amendments: their text, that the account is open, that the cap before is the one in force and rises.
CREATE OR REPLACE FUNCTION snapdp.check_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
DECLARE
    b json;
    opening json;
    s snapdp.standing;
    e snapdp.entry;
    content json;
    sound boolean;
    cap text;
    was_read boolean := NOT snapdp.is_keeper();
BEGIN
    NEW.author := session_user;
    IF NEW.kind IN ('open', 'amend', 'close') AND was_read THEN
        RAISE EXCEPTION 'only the keeper opens and amends accounts' USING ERRCODE = 'insufficient_privilege';
    END IF;
    b := snapdp.plain(NEW.body);
    content := CASE NEW.kind WHEN 'reserve' THEN b -> 'asked' WHEN 'commit' THEN b -> 'record' END;
    SELECT * INTO s FROM snapdp.standing WHERE account = NEW.account FOR UPDATE;
    IF NOT FOUND THEN
        s := ROW(NEW.account, 0, '0', '');
    END IF;
    SELECT snapdp.plain(body) INTO opening FROM snapdp.entry WHERE account = NEW.account AND number = 0;
    cap := CASE WHEN NEW.kind IN ('reserve', 'amend', 'close') THEN snapdp.cap_of(NEW.account) END;
    sound := NEW.digest = snapdp.digest(NEW.body) AND NEW.number = s.entries AND (NEW.number = 0) = (NEW.kind = 'open')
        AND (NEW.version IS NULL) = (NEW.kind IN ('open', 'amend', 'close'))
        AND (NEW.request IS NULL) = (NEW.kind IN ('open', 'dataset', 'amend', 'close'))
        AND (NEW.reserve IS NULL) = (NEW.kind IN ('open', 'dataset', 'reserve', 'amend', 'close'));
    IF NEW.kind = 'open' THEN
        sound := sound AND snapdp.is_canonical(NEW.body) AND snapdp.is_amount(b ->> 'cap') AND snapdp.top(b ->> 'cap') > 0
            AND b ->> 'relation' IN ('change-one', 'add-remove') AND (b -> 'rows')::text ~ '^[1-9][0-9]*$'
            AND json_typeof(b -> 'unit') = 'string' AND snapdp.is_moment(b ->> 'time')
            AND (snapdp.raw(b -> 'account')::json #>> '{}') = NEW.account
            AND NEW.body = '{"account":' || snapdp.raw(b -> 'account') || ',"cap":"' || (b ->> 'cap') || '","kind":"open","ledger":"'
                || (SELECT name FROM snapdp.ledger) || '","number":0,"previous":"","relation":"' || (b ->> 'relation') || '","rows":'
                || (b -> 'rows')::text || ',"spent":"0","time":"' || (b ->> 'time') || '","unit":' || snapdp.raw(b -> 'unit') || '}';
    ELSIF NEW.kind IN ('amend', 'close') THEN
        sound := sound AND octet_length(NEW.body) < 20000 AND snapdp.is_canonical(NEW.body) AND snapdp.takes_charges(NEW.account)
            AND snapdp.is_amount(b ->> 'cap') AND snapdp.is_moment(b ->> 'time') AND snapdp.is_reason(b -> 'reason')
            AND NEW.body = '{"account":' || snapdp.raw(opening -> 'account')
                || CASE NEW.kind WHEN 'amend' THEN ',"before":"' || cap || '"' ELSE '' END
                || ',"cap":"' || (b ->> 'cap') || '","kind":"' || NEW.kind || '","number":' || NEW.number || ',"previous":"' || s.head
                || '","reason":' || snapdp.raw(b -> 'reason') || ',"spent":"' || s.spent || '","time":"' || (b ->> 'time') || '"}';
        sound := sound AND CASE NEW.kind WHEN 'amend' THEN NOT snapdp.at_most(b ->> 'cap', cap) ELSE b ->> 'cap' = cap END;
    ELSE
        sound := sound AND NEW.kind IN ('dataset', 'reserve', 'commit', 'abandon') AND NEW.version ~ '^[0-9a-f]{16}$'
            AND NEW.body = snapdp.written(
                NEW.kind, snapdp.raw(opening -> 'account'), NEW.number, s.head, b ->> 'spent', NEW.version, NEW.request, NEW.reserve,
                snapdp.raw(content), b ->> 'epsilon', b ->> 'session', b ->> 'time');
    END IF;
    IF NEW.kind = 'dataset' THEN
        sound := sound AND NOT EXISTS (SELECT FROM snapdp.dataset d WHERE d.version = NEW.version);
    ELSIF NEW.kind IN ('reserve', 'commit', 'abandon') THEN
        sound := sound AND NOT EXISTS (
            SELECT FROM snapdp.entry c WHERE c.account = NEW.account AND c.version = NEW.version AND c.request = NEW.request
            AND c.kind = 'commit');
    END IF;
    IF sound AND NEW.kind = 'reserve' THEN
        sound := snapdp.is_payable(b ->> 'epsilon') AND b ->> 'session' ~ '^[0-9a-f]{32}$'
            AND snapdp.is_moment(b ->> 'time')
            AND (was_read OR snapdp.is_request(snapdp.raw(content), opening, b ->> 'epsilon'))
            AND NEW.request = snapdp.same(b ->> 'epsilon', snapdp.raw(content))
            AND b ->> 'spent' = snapdp.total(s.spent, b ->> 'epsilon') AND snapdp.is_amount(b ->> 'spent')
            AND snapdp.at_most(b ->> 'spent', cap) AND snapdp.takes_charges(NEW.account)
            AND EXISTS (SELECT FROM snapdp.dataset d WHERE d.version = NEW.version AND d.account = NEW.account);
    ELSE
        sound := sound AND b ->> 'spent' = s.spent;
    END IF;
    IF sound AND NEW.kind IN ('commit', 'abandon') THEN
        SELECT * INTO e FROM snapdp.entry r WHERE r.account = NEW.account AND r.number = NEW.reserve AND r.kind = 'reserve'
            AND r.version = NEW.version AND r.request = NEW.request AND r.author = session_user;
        sound := e.number IS NOT NULL;
    END IF;
    IF sound AND NEW.kind = 'commit' THEN
        sound := (was_read OR snapdp.is_record(snapdp.raw(content), snapdp.plain(e.body)))
            AND (content -> 'dataset')::text = (opening -> 'account')::text
            AND (content -> 'dataset_version')::text = '"' || NEW.version || '"'
            AND (content -> 'request')::text = '"' || NEW.request || '"'
            AND (content -> 'previous')::text = '"' || e.digest || '"'
            AND (content -> 'charged')::text = (snapdp.plain(e.body) -> 'epsilon')::text
            AND (content -> 'date' IS NULL OR (content -> 'date')::text = '"' || left(snapdp.plain(e.body) ->> 'time', 10) || '"');
    END IF;
    IF sound IS NOT TRUE THEN
        RAISE EXCEPTION 'the entry contradicts the ledger' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.kind = 'open' THEN
        INSERT INTO snapdp.standing VALUES (NEW.account, 1, '0', NEW.digest);
    ELSE
        UPDATE snapdp.standing SET entries = entries + 1, spent = b ->> 'spent', head = NEW.digest WHERE account = NEW.account;
    END IF;
    RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION snapdp.reserved(held text, of_version text, epsilon text, asked text, session text, moment text)
RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
DECLARE
    stack text;
    s snapdp.standing;
    of_request text;
    of_spent text;
    pending text;
    opening json;
BEGIN
    GET DIAGNOSTICS stack = PG_CONTEXT;
    PERFORM snapdp.begin_step(stack, 'snapdp.reserved', 'snapdp.reserve');
    IF NOT snapdp.are_short(held, of_version, epsilon, session, moment) OR (session ~ '^[0-9a-f]{32}$') IS NOT TRUE
       OR snapdp.is_moment(moment) IS NOT TRUE THEN
        RAISE EXCEPTION 'too long, or no session or time' USING ERRCODE = 'check_violation';
    END IF;
    SELECT snapdp.plain(body) INTO opening FROM snapdp.entry WHERE account = held AND number = 0;
    IF opening IS NULL THEN
        RETURN ARRAY['unknown'];
    END IF;
    IF NOT snapdp.is_payable(epsilon) OR snapdp.is_request(asked, opening, epsilon) IS NOT TRUE THEN
        RAISE EXCEPTION 'the request cannot be charged' USING ERRCODE = 'check_violation';
    END IF;
    of_request := snapdp.same(epsilon, asked);
    SELECT * INTO s FROM snapdp.standing WHERE account = held FOR UPDATE;
    IF s.account IS NULL OR NOT EXISTS (SELECT FROM snapdp.dataset WHERE version = of_version AND account = held) THEN
        RETURN ARRAY['unknown'];
    END IF;
    IF EXISTS (SELECT FROM snapdp.entry WHERE account = held AND version = of_version AND request = of_request AND kind = 'commit') THEN
        RETURN ARRAY['answered'];
    END IF;
    SELECT snapdp.session_of(r.body) INTO pending FROM snapdp.entry r
    WHERE r.account = held AND r.version = of_version AND r.request = of_request AND r.kind = 'reserve'
        AND NOT EXISTS (SELECT FROM snapdp.entry c WHERE c.account = held AND c.reserve = r.number)
        AND snapdp.lives(snapdp.session_of(r.body)) LIMIT 1;
    IF pending IS NOT NULL THEN
        RETURN ARRAY['pending', pending];
    END IF;
    of_spent := snapdp.total(s.spent, epsilon);
    IF NOT snapdp.at_most(of_spent, snapdp.cap_of(held)) OR NOT snapdp.takes_charges(held) THEN  -- read after the lock
        RETURN ARRAY['over'];
    END IF;
    RETURN snapdp.appended(s, 'reserve', of_version, of_spent, of_request, NULL, asked, epsilon, session, moment);
END
$$;

CREATE OR REPLACE FUNCTION snapdp.admit(role name) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA snapdp FROM %I', role);
    EXECUTE format('REVOKE ALL ON ALL ROUTINES IN SCHEMA snapdp FROM %I', role);
    EXECUTE format('GRANT USAGE ON SCHEMA snapdp TO %I', role);
    EXECUTE format('GRANT SELECT ON snapdp.migration, snapdp.standing TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION snapdp.identity(), snapdp.is_keeper(), snapdp.quiet(), '
                   'snapdp.stands(text), snapdp.entry_at(text, integer), snapdp.entries_from(text, integer, integer), '
                   'snapdp.amendments(text), snapdp.twins(text, text, text), snapdp.registered(text, bytea, text), '
                   'snapdp.reserved(text, text, text, text, text, text), '
                   'snapdp.closed(text, text, integer, text, text) TO %I', role);
    EXECUTE format('GRANT EXECUTE ON PROCEDURE snapdp.register(text, bytea, text, text[]), '
                   'snapdp.reserve(text, text, text, text, text, text, text[]), '
                   'snapdp.close(text, text, integer, text, text, text[]) TO %I', role);
END
$$;
REVOKE ALL ON FUNCTION snapdp.amendments(text), snapdp.cap_of(text), snapdp.takes_charges(text), snapdp.is_reason(json) FROM PUBLIC;

-- A ledger that has been in use: its roles get the new privileges for the old, its row the new format and seal.
SELECT snapdp.admit(r.rolname) FROM pg_catalog.pg_roles r WHERE r.oid IN (
    SELECT a.grantee FROM pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
    WHERE n.oid = (SELECT relnamespace FROM pg_catalog.pg_class WHERE oid = 'snapdp.entry'::pg_catalog.regclass)
    AND a.grantee <> n.nspowner);
ALTER TABLE snapdp.ledger DISABLE TRIGGER append_only;
UPDATE snapdp.ledger SET format = 3, seal = snapdp.hmac(key, '["ledger","3","' || name || '"]');
ALTER TABLE snapdp.ledger ENABLE TRIGGER append_only;
