-- A team ledger: the tables of the SQLite file, and rules that hold for everybody who is not the keeper, the role that owns it.
-- Analysts only append. The server itself checks every entry against the chain, the sum and the cap, so that somebody who
-- speaks SQL to it, without this library, can spend no more than somebody who does not. docs/theory/ledger.md, (1)-(7).
CREATE SCHEMA snapdp;

CREATE TABLE snapdp.migration (
    number integer PRIMARY KEY, name text NOT NULL, digest text NOT NULL,
    applied timestamptz NOT NULL DEFAULT now(), applied_by name NOT NULL DEFAULT session_user);
CREATE TABLE snapdp.ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), format integer NOT NULL, name text NOT NULL, key bytea NOT NULL,
    seal text NOT NULL);
CREATE TABLE snapdp.standing (
    account text PRIMARY KEY, entries integer NOT NULL, spent text NOT NULL, head text NOT NULL);
CREATE TABLE snapdp.entry (
    account text NOT NULL REFERENCES snapdp.standing, number integer NOT NULL, kind text NOT NULL, version text, request text,
    reserve integer, body text NOT NULL, digest text NOT NULL, author name NOT NULL, PRIMARY KEY (account, number));
CREATE TABLE snapdp.dataset (
    keyed text PRIMARY KEY, account text NOT NULL REFERENCES snapdp.standing, version text NOT NULL UNIQUE, seal text NOT NULL);
CREATE INDEX entry_by_request ON snapdp.entry (account, version, request);
CREATE UNIQUE INDEX one_answer ON snapdp.entry (account, version, request) WHERE kind = 'commit';
CREATE UNIQUE INDEX one_closing ON snapdp.entry (account, reserve) WHERE reserve IS NOT NULL;

-- A body is canonical JSON. The server cannot read \u0000 and half surrogate pairs, which a request may quote: they are
-- replaced, in what is read here only.
CREATE FUNCTION snapdp.said(body text) RETURNS json LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(body, '\\u0000|\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|'
        '(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}', '\\ufffd', 'g')::json
$$;

-- Amounts are fractions in lowest terms, as text: '1/3', '2'.
CREATE FUNCTION snapdp.top(amount text) RETURNS numeric LANGUAGE sql IMMUTABLE AS
$$ SELECT split_part(amount, '/', 1)::numeric $$;
CREATE FUNCTION snapdp.bottom(amount text) RETURNS numeric LANGUAGE sql IMMUTABLE AS
$$ SELECT COALESCE(NULLIF(split_part(amount, '/', 2), ''), '1')::numeric $$;
CREATE FUNCTION snapdp.is_amount(amount text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT COALESCE(length(amount) <= 2001 AND amount ~ '^(0|[1-9][0-9]*)(/[1-9][0-9]*)?$' AND CASE WHEN amount LIKE '%/%'
        THEN snapdp.bottom(amount) > 1 AND gcd(snapdp.top(amount), snapdp.bottom(amount)) = 1 ELSE true END, false)
$$;

CREATE FUNCTION snapdp.is_keeper() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class WHERE oid = 'snapdp.entry'::regclass
$$;

-- Every entry follows the one before, says what it costs, and stays within the cap. The standing moves with it.
CREATE FUNCTION snapdp.check_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    b json := snapdp.said(NEW.body);
    s snapdp.standing;
    cap text;
    sound boolean;
BEGIN
    NEW.author := session_user;
    IF NEW.kind = 'open' AND NOT snapdp.is_keeper() THEN
        RAISE EXCEPTION 'only the keeper opens accounts' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT * INTO s FROM snapdp.standing WHERE account = NEW.account FOR UPDATE;
    IF NOT FOUND THEN
        s := ROW(NEW.account, 0, '0', '');
    END IF;
    sound := (SELECT count(*) = count(DISTINCT key) FROM json_object_keys(b) AS key)
        AND NEW.digest = 'sha256:' || encode(sha256(convert_to(NEW.body, 'UTF8')), 'hex')
        AND NEW.number = s.entries AND (NEW.number = 0) = (NEW.kind = 'open')
        AND b ->> 'account' = NEW.account AND b ->> 'kind' = NEW.kind AND (b ->> 'number')::integer = NEW.number
        AND b ->> 'previous' = s.head AND snapdp.is_amount(b ->> 'spent')
        AND (b ->> 'version') IS NOT DISTINCT FROM NEW.version AND (b ->> 'request') IS NOT DISTINCT FROM NEW.request
        AND (b ->> 'reserve')::integer IS NOT DISTINCT FROM NEW.reserve;
    IF NEW.kind = 'reserve' THEN
        SELECT snapdp.said(body) ->> 'cap' INTO cap FROM snapdp.entry WHERE account = NEW.account AND number = 0;
        sound := sound AND snapdp.is_amount(b ->> 'epsilon') AND snapdp.top(b ->> 'epsilon') > 0
            AND snapdp.top(b ->> 'spent') * snapdp.bottom(s.spent) * snapdp.bottom(b ->> 'epsilon')
              = snapdp.bottom(b ->> 'spent') * (snapdp.top(s.spent) * snapdp.bottom(b ->> 'epsilon')
                                                + snapdp.top(b ->> 'epsilon') * snapdp.bottom(s.spent))
            AND snapdp.top(b ->> 'spent') * snapdp.bottom(cap) <= snapdp.top(cap) * snapdp.bottom(b ->> 'spent')
            AND EXISTS (SELECT FROM snapdp.dataset d WHERE d.account = NEW.account AND d.version = NEW.version)
            AND NOT EXISTS (SELECT FROM snapdp.entry e WHERE e.account = NEW.account AND e.version = NEW.version
                            AND e.request = NEW.request AND e.kind = 'commit');
    ELSE
        sound := sound AND b ->> 'spent' = s.spent;
    END IF;
    IF NEW.kind = 'open' THEN
        sound := sound AND snapdp.is_amount(b ->> 'cap') AND snapdp.top(b ->> 'cap') > 0;
    ELSIF NEW.kind IN ('commit', 'abandon') THEN
        sound := sound AND EXISTS (
            SELECT FROM snapdp.entry e WHERE e.account = NEW.account AND e.number = NEW.reserve AND e.kind = 'reserve'
            AND e.version = NEW.version AND e.request = NEW.request AND e.author = session_user);
    ELSIF NEW.kind NOT IN ('reserve', 'dataset') THEN
        sound := false;
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
CREATE TRIGGER check_entry BEFORE INSERT ON snapdp.entry FOR EACH ROW EXECUTE FUNCTION snapdp.check_entry();

CREATE FUNCTION snapdp.check_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM snapdp.entry e WHERE e.account = NEW.account AND e.version = NEW.version
                   AND e.kind = 'dataset' AND e.author = session_user) THEN
        RAISE EXCEPTION 'the version contradicts the ledger' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER check_dataset BEFORE INSERT ON snapdp.dataset FOR EACH ROW EXECUTE FUNCTION snapdp.check_dataset();

-- Nothing is ever changed or removed, not by the keeper either.
CREATE FUNCTION snapdp.append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'append only' USING ERRCODE = 'check_violation';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.ledger EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.entry EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.dataset EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.migration EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON snapdp.standing EXECUTE FUNCTION snapdp.append_only();

-- What a role needs to see beyond its own entries: where an account stands, its first and last entry, and the entries
-- about a request that it can name.
ALTER TABLE snapdp.entry ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_entries ON snapdp.entry FOR SELECT USING (author = session_user OR kind = 'open' OR snapdp.is_keeper());
CREATE POLICY anybody_appends ON snapdp.entry FOR INSERT WITH CHECK (true);

CREATE FUNCTION snapdp.hold(held text) RETURNS SETOF snapdp.standing LANGUAGE sql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$ SELECT * FROM snapdp.standing WHERE account = held FOR UPDATE $$;
CREATE FUNCTION snapdp.entry_at(asked text, place integer) RETURNS SETOF snapdp.entry LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT e.* FROM snapdp.entry e JOIN snapdp.standing s ON s.account = e.account
    WHERE e.account = asked AND e.number = place
      AND (e.number = 0 OR e.number = s.entries - 1 OR e.author = session_user OR snapdp.is_keeper())
$$;
CREATE FUNCTION snapdp.twins(asked text, of_version text, of_request text) RETURNS SETOF snapdp.entry LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM snapdp.entry WHERE account = asked AND version = of_version AND request = of_request ORDER BY number
$$;

-- Roles. The keeper runs SELECT snapdp.admit('role') for each role (or group of roles) that may reserve.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA snapdp FROM PUBLIC;
CREATE FUNCTION snapdp.admit(role name) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA snapdp TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA snapdp TO %I', role);
    EXECUTE format('GRANT INSERT ON snapdp.entry, snapdp.dataset TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION snapdp.hold(text), snapdp.entry_at(text, integer), '
                   'snapdp.twins(text, text, text), snapdp.is_keeper() TO %I', role);
END
$$;
REVOKE ALL ON FUNCTION snapdp.admit(name) FROM PUBLIC;
