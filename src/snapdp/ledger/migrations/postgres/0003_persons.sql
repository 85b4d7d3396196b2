-- Bounds belong to statistics: an account protects persons by the columns that name them, or so many rows together. One
-- that fixes how many rows of each person are kept takes what it took. docs/theory/ledger.md, (8) and (9).

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
REVOKE ALL ON FUNCTION snapdp.units(json) FROM PUBLIC;

CREATE OR REPLACE FUNCTION snapdp.agrees(opening json, asked json, epsilon text) RETURNS boolean LANGUAGE plpgsql STABLE
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

CREATE OR REPLACE FUNCTION snapdp.declares(record json, asked json) RETURNS boolean LANGUAGE sql IMMUTABLE
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
