-- A team ledger: the tables of a ledger in a file, and rules that hold for everybody who is not the keeper, the role that owns
-- it. Analysts append through three procedures only, each of which looks, checks, appends and commits in one step: no lock
-- survives a call, no key or keyed digest leaves the server, and the server writes the entries itself. The trigger demands the
-- very text that the library would write, so that one entry cannot stop an account, and somebody who speaks SQL to the server,
-- without this library, can spend no more than somebody who does not.
-- Every function fixes what the caller could bend: names (search_path), the reading of its own text, the printing of
-- floats, the printing of plans with values in them. docs/theory/ledger.md, (1)-(9), (12)-(13).
CREATE SCHEMA snapdp;

CREATE TABLE snapdp.ledger (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), format integer NOT NULL, schema text NOT NULL, name text NOT NULL,
    key bytea NOT NULL, seal text NOT NULL);
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
CREATE INDEX amendments ON snapdp.entry (account, number) WHERE kind IN ('amend', 'close');

-- JSON. The server cannot read \u0000 and half surrogate pairs: every \u is kept as text, every backslash doubled. Each
-- piece of what is read so stands for one piece of the body, and `raw` gives it back.
CREATE FUNCTION snapdp.plain(body text) RETURNS json LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
    SELECT replace(replace(replace(body, '\\', chr(1)), '\u', '\\u'), chr(1), '\\\\')::json
$$;
CREATE FUNCTION snapdp.raw(piece json) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
    SELECT replace(replace(replace(piece::text, '\\\\', chr(1)), '\\u', '\u'), chr(1), '\\')
$$;

-- Whether a number is written as Python writes it: a float by the fewest figures that read back to it. The server prints
-- more of them where the fewest lie halfway between two floats, which happens between 2^53 and 10^41 only, to 16 or more
-- figures: there a text of fewer figures that reads back is the shortest one, and the server's own is not.
CREATE FUNCTION snapdp.figures(word text) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS
$$ SELECT trim('0' FROM translate(split_part(word, 'e', 1), '-.', '')) $$;
CREATE FUNCTION snapdp.is_number(word text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on SET extra_float_digits = 1 AS $$
DECLARE
    x float8;
    given text := snapdp.figures(word);
    mantissa text := split_part(word, 'e', 1);
    place integer;
BEGIN
    IF word ~ '^(0|-?[1-9][0-9]{0,250})$' OR word ~ '^-?0[.]0$' THEN
        RETURN true;
    END IF;
    IF length(word) > 25 OR word !~ (CASE WHEN word LIKE '%e%'
        THEN '^-?[1-9]([.][0-9]*[1-9])?e([+](1[6-9]|[2-9][0-9]|[1-9][0-9]{2})|-(0[5-9]|[1-9][0-9]{1,2}))$'
        ELSE '^-?(0|[1-9][0-9]{0,15})[.]([0-9]*[1-9]|0)$' END)
       OR word NOT LIKE '%e%' AND abs(word::numeric) < 0.0001 THEN
        RETURN false;
    END IF;
    x := word::float8;
    IF length(given) < length(snapdp.figures(x::text)) THEN
        RETURN true;
    ELSIF word::numeric <> x::text::numeric OR length(given) < 16 OR abs(x) NOT BETWEEN 1e14 AND 1e42 THEN
        RETURN word::numeric = x::text::numeric;
    END IF;
    place := COALESCE(NULLIF(split_part(word, 'e', 2), ''), '0')::integer - length(split_part(mantissa, '.', 2))
        + length(replace(mantissa, '.', '')) - length(rtrim(replace(mantissa, '.', ''), '0'));
    RETURN NOT EXISTS (
        SELECT FROM unnest(ARRAY[0, 1]) AS more WHERE ((div(given::numeric, 10) + more)::text || 'e' || place + 1)::float8 = abs(x));
END
$$;

-- Whether a text is canonical JSON: ASCII, no spaces, strings and numbers as Python writes them, keys in order, once, and
-- without anything that must be escaped.
CREATE FUNCTION snapdp.is_canonical(body text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
DECLARE
    single text := replace(body, '\\', '');
    bare text := regexp_replace(single, '"([^"\\]|\\.)*"', '""', 'g');
BEGIN
    IF body COLLATE "C" ~ '[^ -~]' OR bare LIKE '% %' OR single ~ '\\(/|u00([2-6][0-9a-f]|7[0-9a-e]|0[89acd])|u(?![0-9a-f]{4}))'
       OR EXISTS (SELECT FROM (SELECT DISTINCT words[1] AS word FROM regexp_matches(bare, '[-+0-9][-+.0-9eE]*', 'g') AS words) AS every
                  WHERE NOT snapdp.is_number(word)) THEN
        RETURN false;
    END IF;
    RETURN (
        WITH RECURSIVE node(depth, value) AS (
            SELECT 0, snapdp.plain(body)
            UNION ALL
            SELECT depth + 1, child.value FROM node, LATERAL (
                SELECT value FROM json_each(CASE json_typeof(node.value) WHEN 'object' THEN node.value END)
                UNION ALL
                SELECT value FROM json_array_elements(CASE json_typeof(node.value) WHEN 'array' THEN node.value END)
            ) AS child
            WHERE depth < 48 AND json_typeof(child.value) IN ('object', 'array')
        )
        SELECT COALESCE(bool_and(depth < 48), true) AND NOT EXISTS (
            SELECT FROM (
                SELECT key COLLATE "C" AS key, lag(key) OVER (PARTITION BY node.place ORDER BY each.place) COLLATE "C" AS before
                FROM (SELECT value, row_number() OVER () AS place FROM node WHERE json_typeof(value) = 'object') AS node,
                     json_each(node.value) WITH ORDINALITY AS each(key, value, place)
            ) AS pair
            WHERE key <= before OR key !~ '^[] !#-[^-~]*$'
        )
        FROM node
    );
END
$$;

-- Amounts are fractions in lowest terms, as text: '1/3', '2'; above and below the line at most 1000 digits.
CREATE FUNCTION snapdp.top(amount text) RETURNS numeric LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$ SELECT split_part(amount, '/', 1)::numeric $$;
CREATE FUNCTION snapdp.bottom(amount text) RETURNS numeric LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$ SELECT COALESCE(NULLIF(split_part(amount, '/', 2), ''), '1')::numeric $$;
CREATE FUNCTION snapdp.is_amount(amount text) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
    SELECT COALESCE(length(amount) <= 2001 AND amount ~ '^(0|[1-9][0-9]*)(/[1-9][0-9]*)?$'
        AND length(split_part(amount, '/', 1)) <= 1000 AND length(split_part(amount, '/', 2)) <= 1000
        AND CASE WHEN amount LIKE '%/%' THEN snapdp.bottom(amount) > 1 AND gcd(snapdp.top(amount), snapdp.bottom(amount)) = 1 ELSE true END, false)
$$;
CREATE FUNCTION snapdp.total(one text, other text) RETURNS text LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    above numeric := snapdp.top(one) * snapdp.bottom(other) + snapdp.top(other) * snapdp.bottom(one);
    below numeric := snapdp.bottom(one) * snapdp.bottom(other);
    common numeric := gcd(above, below);
BEGIN
    RETURN div(above, common)::text || CASE WHEN below = common THEN '' ELSE '/' || div(below, common)::text END;
END
$$;
CREATE FUNCTION snapdp.at_most(one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS
$$ SELECT snapdp.top(one) * snapdp.bottom(other) <= snapdp.top(other) * snapdp.bottom(one) $$;

-- A time that there was, to the second: '2026-01-31T23:59:59Z'. The server itself refuses the 31st of February.
CREATE FUNCTION snapdp.is_moment(moment text) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
    SELECT CASE WHEN moment ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$' THEN make_date(
        substr(moment, 1, 4)::integer, substr(moment, 6, 2)::integer, substr(moment, 9, 2)::integer) IS NOT NULL ELSE false END
$$;

-- What may be charged: its denominator divides lcm(10^30, 1, 2, ..., 1000), and so do those of all sums.
CREATE FUNCTION snapdp.is_payable(epsilon text) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN snapdp.is_amount(epsilon) THEN snapdp.top(epsilon) > 0 AND mod((
        '2227770398332841579114495048660710287708862144339341575141250622235726277369097343586388797473084870' ||
        '9099118178186172676603063325211315653910830846888453534602144587947500614406171446081053713574078173' ||
        '2326641366867040592598302343191507404882275743562845900289447428401936860649726492329939041452366807' ||
        '1851047734936479765013269886890980323228504619295890899516714274381840023554140600623647517791259093' ||
        '5596536523398977181096661261000000000000000000000000000000'
        )::numeric, snapdp.bottom(epsilon)) = 0 ELSE false END
$$;

CREATE FUNCTION snapdp.is_keeper() RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_catalog.pg_has_role(session_user, relowner, 'MEMBER') FROM pg_catalog.pg_class
    WHERE oid = 'snapdp.entry'::pg_catalog.regclass
$$;

CREATE FUNCTION snapdp.digest(content text) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$ SELECT 'sha256:' || encode(sha256(convert_to(content, 'UTF8')), 'hex') $$;
CREATE FUNCTION snapdp.same(epsilon text, asked text) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS
$$ SELECT snapdp.digest('{"epsilon":"' || epsilon || '","request":' || asked || '}') $$;

-- The body of every entry but the first and the amendments, from its parts.
CREATE FUNCTION snapdp.written(
    kind text, who text, place integer, previous text, spent text, version text, request text, reserve integer,
    content text, epsilon text, session text, moment text
) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT '{"account":' || who
        || CASE kind WHEN 'reserve' THEN ',"asked":' || content || ',"epsilon":"' || epsilon || '"' ELSE '' END
        || ',"kind":"' || kind || '","number":' || place || ',"previous":"' || previous || '"'
        || CASE kind WHEN 'commit' THEN ',"record":' || content ELSE '' END
        || CASE kind WHEN 'dataset' THEN '' ELSE ',"request":"' || request || '"' END
        || CASE WHEN kind IN ('commit', 'abandon') THEN ',"reserve":' || reserve ELSE '' END
        || CASE kind WHEN 'reserve' THEN ',"session":"' || session || '"' ELSE '' END
        || ',"spent":"' || spent || '"'
        || CASE kind WHEN 'reserve' THEN ',"time":"' || moment || '"' ELSE '' END
        || ',"version":"' || version || '"}'
$$;

-- The units of the accounts that a request may be charged to, as the first entry writes them; none where it cannot be.
-- Several columns stand there as JSON, and so does one that would be taken for several, or for a bound.
CREATE FUNCTION snapdp.units(asked json) RETURNS text[] LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
DECLARE
    person text := snapdp.raw(asked -> 'person');
    name text := substr(person, 2, length(person) - 2);
    rows text := (asked -> 'unit_rows')::text;
    most text := (asked -> 'rows_per_person')::text;
    listed text := person;
BEGIN
    IF rows IS NOT NULL THEN
        RETURN CASE WHEN person IS NULL AND rows ~ '^([2-9]|[1-9][0-9]+)$' THEN ARRAY['"' || rows || ' rows"'] END;
    ELSIF person IS NULL THEN
        RETURN CASE WHEN (asked -> 'unit')::text = '"row"' THEN ARRAY['"row"'] END;
    ELSIF most IS NULL OR most !~ '^[1-9][0-9]*$' THEN
        RETURN NULL;
    ELSIF json_typeof(asked -> 'person') = 'array' THEN
        IF json_array_length(asked -> 'person') < 2
           OR EXISTS (SELECT FROM json_array_elements(asked -> 'person') AS each WHERE json_typeof(each.value) <> 'string') THEN
            RETURN NULL;
        END IF;
    ELSIF json_typeof(asked -> 'person') <> 'string' THEN
        RETURN NULL;
    ELSE
        listed := '[' || person || ']';
    END IF;
    IF asked -> 'person_columns' IS NOT NULL THEN
        listed := listed || ', declared '
            || left(encode(sha256(convert_to(snapdp.raw(asked -> 'person_columns'), 'UTF8')), 'hex'), 32);
        RETURN ARRAY['"person (' || replace(replace(listed, '\', '\\'), '"', '\"') || ')"'];
    END IF;
    listed := '"person (' || replace(replace(listed, '\', '\\'), '"', '\"') || ')"';
    IF json_typeof(asked -> 'person') = 'array' THEN
        RETURN ARRAY[listed];
    END IF;
    IF left(name, 1) <> '[' AND name !~ ', at most [0-9]+ rows$' THEN
        listed := '"person (' || name || ')"';
    END IF;
    IF EXISTS (SELECT FROM json_array_elements(asked -> 'statistics') AS each
               WHERE each.value -> 'rows_per_person' IS NOT NULL OR (each.value -> 'kind')::text = '"persons"') THEN
        RETURN ARRAY[listed];
    END IF;
    RETURN ARRAY[listed, '"person (' || name || ', at most ' || most || ' rows)"'];
END
$$;

-- What a request of this library declares belongs to its account, its role and its charge. Others are taken as they are.
CREATE FUNCTION snapdp.agrees(opening json, asked json, epsilon text) RETURNS boolean LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    sum text := '0';
    part json;
BEGIN
    IF asked -> 'snapdp_request' IS NULL THEN
        RETURN true;
    END IF;
    IF (asked -> 'snapdp_request')::text <> '1' THEN
        RETURN false;
    END IF;
    IF asked -> 'own' IS NOT NULL AND (json_typeof(asked -> 'own') <> 'string'
       OR (snapdp.raw(asked -> 'own')::json #>> '{}') IS DISTINCT FROM session_user::text) THEN
        RETURN false;
    END IF;
    IF json_typeof(asked -> 'statistics') IS DISTINCT FROM 'array' THEN
        RETURN false;
    END IF;
    FOR part IN SELECT value FROM json_array_elements(asked -> 'statistics') LOOP
        IF json_typeof(part) <> 'object' OR NOT snapdp.is_amount(part ->> 'epsilon')
           OR json_typeof(part -> 'epsilon') <> 'string' THEN
            RETURN false;
        END IF;
        sum := snapdp.total(sum, part ->> 'epsilon');
        IF NOT snapdp.is_amount(sum) THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN sum = epsilon AND snapdp.raw(opening -> 'unit') = ANY (snapdp.units(asked))
        AND (asked -> 'relation')::text = (opening -> 'relation')::text
        AND (asked -> CASE opening ->> 'relation' WHEN 'change-one' THEN 'n' ELSE 'n_max' END)::text = (opening -> 'rows')::text;
END
$$;

-- A record of this library declares the very request it answers.
CREATE FUNCTION snapdp.declares(record json, asked json) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE
        WHEN asked -> 'snapdp_request' IS NULL THEN record -> 'statistics' IS NULL
        ELSE (asked -> 'snapdp_request')::text = '1' AND json_typeof(record -> 'statistics') = 'array' AND NOT EXISTS (
            SELECT FROM unnest(ARRAY['relation', 'unit', 'n', 'n_max', 'person', 'rows_per_person', 'unit_rows', 'own',
                'person_columns', 'most_units']) AS name
            WHERE (record -> name)::text IS DISTINCT FROM (asked -> name)::text
        ) AND NOT EXISTS (
            SELECT FROM json_object_keys(asked) AS name WHERE name NOT IN (
                'relation', 'unit', 'n', 'n_max', 'person', 'rows_per_person', 'unit_rows', 'own', 'person_columns',
                'most_units', 'snapdp_request', 'statistics')
        ) AND (asked -> 'statistics')::text = '[' || COALESCE((
            SELECT string_agg('{' || COALESCE((
                SELECT string_agg('"' || key || '":' || field.value::text, ',' ORDER BY field.place)
                FROM json_each(one.value) WITH ORDINALITY AS field(key, value, place) WHERE key <> 'parts'
            ), '') || '}', ',' ORDER BY one.place)
            FROM json_array_elements(record -> 'statistics') WITH ORDINALITY AS one(value, place)
        ), '') || ']'
    END
$$;

-- What is long is read before the account is locked, by the functions below; of the keeper, who appends directly, here.
CREATE FUNCTION snapdp.is_request(asked text, opening json, epsilon text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT octet_length(asked) < 16777216 AND json_typeof(snapdp.plain(asked)) = 'object' AND snapdp.is_canonical(asked)
        AND snapdp.agrees(opening, snapdp.plain(asked), epsilon)
$$;
CREATE FUNCTION snapdp.is_record(record text, reserved json) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT octet_length(record) < 16777216 AND json_typeof(snapdp.plain(record)) = 'object' AND snapdp.is_canonical(record)
        AND snapdp.declares(snapdp.plain(record), reserved -> 'asked')
$$;

-- The keeper alone raises the cap of an account ('amend') or closes it ('close'). There is no cap but in entries, so none
-- changes without one. Whoever may be charged sees by what the cap became what it is, and why.
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

-- Every entry follows the one before, is the text that the library writes, says what it costs, stays within the cap, and
-- belongs to the reservation it closes; an amendment finds the account open, names the cap in force, and raises it. The
-- standing moves with the entry.
CREATE FUNCTION snapdp.check_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
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
            AND (content -> 'date')::text = '"' || left(snapdp.plain(e.body) ->> 'time', 10) || '"';
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

CREATE FUNCTION snapdp.check_dataset() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
CREATE FUNCTION snapdp.append_only() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'append only' USING ERRCODE = 'check_violation';
END
$$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.ledger EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.entry EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON snapdp.dataset EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON snapdp.standing EXECUTE FUNCTION snapdp.append_only();

-- The key stays here.
CREATE FUNCTION snapdp.hmac(key bytea, message text) RETURNS text LANGUAGE plpgsql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    short bytea := CASE WHEN length(key) > 64 THEN sha256(key) ELSE key END;
    filled bytea := short || decode(repeat('00', 64 - length(short)), 'hex');
    inside bytea := filled;
    outside bytea := filled;
BEGIN
    FOR i IN 0..63 LOOP
        inside := set_byte(inside, i, get_byte(filled, i) # 54);
        outside := set_byte(outside, i, get_byte(filled, i) # 92);
    END LOOP;
    RETURN encode(sha256(outside || sha256(inside || convert_to(message, 'UTF8'))), 'hex');
END
$$;

-- What a role may look at: what the ledger is, where accounts stand, how each was opened, its own entries, and the entries
-- about a request that it can name. Through functions only: a plan of a query on the table would count the rows that are
-- hidden. Whether the last entry says what the standing says is answered here; the entry itself is its author's.
ALTER TABLE snapdp.entry ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_entries ON snapdp.entry FOR SELECT
USING (author = session_user OR kind = 'open' OR (SELECT snapdp.is_keeper()));
CREATE FUNCTION snapdp.entry_at(asked text, place integer) RETURNS SETOF snapdp.entry LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM snapdp.entry WHERE account = asked AND number = place
    AND (number = 0 OR author = session_user OR (SELECT snapdp.is_keeper()))
$$;
CREATE FUNCTION snapdp.entries_from(asked text, place integer, at_most integer) RETURNS SETOF snapdp.entry LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM snapdp.entry WHERE account = asked AND number >= place
    AND (number = 0 OR author = session_user OR (SELECT snapdp.is_keeper())) ORDER BY number LIMIT at_most
$$;
CREATE FUNCTION snapdp.stands(asked text) RETURNS boolean LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT e.digest = s.head AND e.digest = snapdp.digest(e.body) AND snapdp.plain(e.body) ->> 'spent' = s.spent
    FROM snapdp.standing s JOIN snapdp.entry e ON e.account = s.account AND e.number = s.entries - 1 WHERE s.account = asked
$$;
-- Format and schema come first: a library of another format finds them there, and refuses.
CREATE FUNCTION snapdp.identity(OUT format integer, OUT schema text, OUT name text) RETURNS SETOF record LANGUAGE sql STABLE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$ SELECT l.format, l.schema, l.name FROM snapdp.ledger l $$;
CREATE FUNCTION snapdp.twins(asked text, of_version text, of_request text) RETURNS SETOF snapdp.entry LANGUAGE sql
STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT * FROM snapdp.entry WHERE account = asked AND version = of_version AND request = of_request
$$;
-- The session of a reservation stands near the end of its body: what was asked, which may be long, need not be read.
CREATE FUNCTION snapdp.session_of(body text) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
    SELECT substring(right(body, 3000) FROM '"session":"([^"]*)","spent":"[0-9/]*","time":"[^"]*","version":"[^"]*"[}]$')
$$;
CREATE FUNCTION snapdp.lives(session text) RETURNS boolean LANGUAGE sql VOLATILE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT session ~ '^[0-9a-f]{32}$' AND EXISTS (
        SELECT FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        AND (classid::bigint << 32) + objid::bigint = ('x0' || substr(session, 1, 15))::bit(64)::bigint)
$$;

-- The three steps. A function that locks an account runs only inside its procedure, which commits before and after it and
-- therefore cannot run inside a transaction that somebody holds open. Who called it is read from the stack: the first line
-- is the function's own and shows how this server words such lines, the second must be the procedure's.
--
-- While an account is locked nothing may be sent to the client: one that does not read would hold it. So no message but an
-- error is sent from before the lock until it is gone, and errors are sent by the procedure, when it is gone. What would
-- make the server slow is set aside too, and every argument is short, or refused, before the lock is taken.
CREATE FUNCTION snapdp.quiet() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config(one.name, one.value, true) FROM (VALUES
        ('client_min_messages', 'error'), ('debug_print_parse', 'off'), ('debug_print_rewritten', 'off'),
        ('debug_print_plan', 'off'), ('transaction_timeout', '0'), ('plan_cache_mode', 'auto'), ('jit', 'off'),
        ('enable_seqscan', 'off'), ('enable_indexscan', 'on')
    ) AS one (name, value) WHERE current_setting(one.name, true) <> one.value;
END
$$;
CREATE FUNCTION snapdp.are_short(VARIADIC texts text[]) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT COALESCE(bool_and(octet_length(one) <= 2001), true) FROM unnest(texts) AS one
$$;
CREATE FUNCTION snapdp.begin_step(stack text, own text, caller text) RETURNS void LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    first text := split_part(stack, chr(10), 1);
BEGIN
    IF strpos(first, own || '(') = 0
       OR NOT starts_with(split_part(stack, chr(10), 2), split_part(first, own || '(', 1) || caller || '(') THEN
        RAISE EXCEPTION 'only its procedure calls it' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END
$$;
CREATE FUNCTION snapdp.appended(
    s snapdp.standing, of_kind text, of_version text, of_spent text, of_request text, of_reserve integer, content text,
    epsilon text, session text, moment text
) RETURNS text[] LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    who text := (SELECT snapdp.raw(snapdp.plain(body) -> 'account') FROM snapdp.entry WHERE account = s.account AND number = 0);
    text_of text := snapdp.written(
        of_kind, who, s.entries, s.head, of_spent, of_version, of_request, of_reserve, content, epsilon, session, moment);
BEGIN
    INSERT INTO snapdp.entry (account, number, kind, version, request, reserve, body, digest)
    VALUES (s.account, s.entries, of_kind, of_version, of_request, of_reserve, text_of, snapdp.digest(text_of));
    RETURN ARRAY['done', s.entries::text, text_of, snapdp.digest(text_of)];
END
$$;

CREATE FUNCTION snapdp.registered(held text, fingerprint bytea, fresh text) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on
SET debug_print_parse = off SET debug_print_rewritten = off SET debug_print_plan = off AS $$
DECLARE
    stack text;
    s snapdp.standing;
    l snapdp.ledger;
    d snapdp.dataset;
    known text;
    who text;
BEGIN
    GET DIAGNOSTICS stack = PG_CONTEXT;
    PERFORM snapdp.begin_step(stack, 'snapdp.registered', 'snapdp.register');
    -- All that may fail fails before the search: who asks in vain leaves an entry.
    IF NOT snapdp.are_short(held, fresh) OR octet_length(fingerprint) > 1000 THEN
        RAISE EXCEPTION 'too long' USING ERRCODE = 'check_violation';
    END IF;
    SELECT * INTO s FROM snapdp.standing WHERE account = held FOR UPDATE;
    IF s.account IS NULL OR fingerprint IS NULL OR fresh IS NULL OR fresh !~ '^[0-9a-f]{16}$'
       OR EXISTS (SELECT FROM snapdp.dataset WHERE version = fresh) THEN
        RAISE EXCEPTION 'no such account or version' USING ERRCODE = 'check_violation';
    END IF;
    SELECT * INTO l FROM snapdp.ledger;
    known := snapdp.hmac(l.key, '["content","' || encode(fingerprint, 'hex') || '"]');
    SELECT * INTO d FROM snapdp.dataset WHERE keyed = known;
    IF d.keyed IS NOT NULL THEN
        RETURN ARRAY[d.account, d.version];
    END IF;
    who := (SELECT snapdp.raw(snapdp.plain(body) -> 'account') FROM snapdp.entry WHERE account = held AND number = 0);
    PERFORM snapdp.appended(s, 'dataset', fresh, s.spent, NULL, NULL, NULL, NULL, NULL, NULL);
    INSERT INTO snapdp.dataset VALUES (
        known, held, fresh, snapdp.hmac(l.key, '["dataset","' || known || '",' || who || ',"' || fresh || '"]')
    ) ON CONFLICT DO NOTHING;  -- a violation would quote the keyed digest
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the same content was registered at this moment' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN ARRAY[held, fresh];
END
$$;
CREATE PROCEDURE snapdp.register(held text, fingerprint bytea, fresh text, INOUT told text[] DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
    state text;
    words text;
BEGIN
    COMMIT;
    PERFORM snapdp.quiet();
    BEGIN
        told := snapdp.registered(held, fingerprint, fresh);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, words = MESSAGE_TEXT;
    END;
    COMMIT;
    IF state IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = state, MESSAGE = words;
    END IF;
END
$$;

CREATE FUNCTION snapdp.reserved(held text, of_version text, epsilon text, asked text, session text, moment text)
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
CREATE PROCEDURE snapdp.reserve(
    held text, of_version text, epsilon text, asked text, session text, moment text, INOUT told text[] DEFAULT NULL
) LANGUAGE plpgsql AS $$
DECLARE
    state text;
    words text;
BEGIN
    COMMIT;
    PERFORM snapdp.quiet();
    BEGIN
        told := snapdp.reserved(held, of_version, epsilon, asked, session, moment);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, words = MESSAGE_TEXT;
    END;
    COMMIT;
    IF state IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = state, MESSAGE = words;
    END IF;
END
$$;

CREATE FUNCTION snapdp.closed(held text, of_kind text, place integer, head text, record text) RETURNS text[] LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET standard_conforming_strings = on AS $$
DECLARE
    stack text;
    s snapdp.standing;
    e snapdp.entry;
BEGIN
    GET DIAGNOSTICS stack = PG_CONTEXT;
    PERFORM snapdp.begin_step(stack, 'snapdp.closed', 'snapdp.close');
    IF NOT snapdp.are_short(held, of_kind, head) OR octet_length(record) >= 16777216 THEN
        RAISE EXCEPTION 'too long' USING ERRCODE = 'check_violation';
    END IF;
    SELECT * INTO e FROM snapdp.entry r
    WHERE r.account = held AND r.number = place AND r.kind = 'reserve' AND r.digest = head AND r.author = session_user;
    IF e.number IS NULL OR of_kind NOT IN ('commit', 'abandon') THEN
        RETURN ARRAY['unknown'];
    END IF;
    IF of_kind = 'commit' AND snapdp.is_record(record, snapdp.plain(e.body)) IS NOT TRUE THEN
        RAISE EXCEPTION 'the record does not belong to its reservation' USING ERRCODE = 'check_violation';
    END IF;
    SELECT * INTO s FROM snapdp.standing WHERE account = held FOR UPDATE;
    IF EXISTS (SELECT FROM snapdp.entry c WHERE c.account = held AND c.reserve = place) OR EXISTS (
        SELECT FROM snapdp.entry c WHERE c.account = held AND c.version = e.version AND c.request = e.request AND c.kind = 'commit') THEN
        RETURN ARRAY['answered'];
    END IF;
    RETURN snapdp.appended(s, of_kind, e.version, s.spent, e.request, e.number, record, NULL, NULL, NULL);
END
$$;
CREATE PROCEDURE snapdp.close(
    held text, of_kind text, place integer, head text, record text, INOUT told text[] DEFAULT NULL
) LANGUAGE plpgsql AS $$
DECLARE
    state text;
    words text;
BEGIN
    COMMIT;
    PERFORM snapdp.quiet();
    BEGIN
        told := snapdp.closed(held, of_kind, place, head, record);
    EXCEPTION WHEN query_canceled OR OTHERS THEN
        GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, words = MESSAGE_TEXT;
    END;
    COMMIT;
    IF state IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = state, MESSAGE = words;
    END IF;
END
$$;

-- Roles. The keeper runs SELECT snapdp.admit('role') for each role (or group of roles) that may reserve.
CREATE FUNCTION snapdp.admit(role name) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA snapdp FROM %I', role);
    EXECUTE format('REVOKE ALL ON ALL ROUTINES IN SCHEMA snapdp FROM %I', role);
    EXECUTE format('GRANT USAGE ON SCHEMA snapdp TO %I', role);
    EXECUTE format('GRANT SELECT ON snapdp.standing TO %I', role);
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
REVOKE ALL ON ALL ROUTINES IN SCHEMA snapdp FROM PUBLIC;
