SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA snapdp;
CREATE FUNCTION snapdp.admit(role name) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA snapdp TO %I', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA snapdp TO %I', role);
    EXECUTE format('GRANT INSERT ON snapdp.entry, snapdp.dataset TO %I', role);
    EXECUTE format('GRANT EXECUTE ON FUNCTION snapdp.hold(text), snapdp.entry_at(text, integer), '
                   'snapdp.twins(text, text, text), snapdp.is_keeper() TO %I', role);
END
$$;
CREATE FUNCTION snapdp.append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'append only' USING ERRCODE = 'check_violation';
END
$$;
CREATE FUNCTION snapdp.bottom(amount text) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT COALESCE(NULLIF(split_part(amount, '/', 2), ''), '1')::numeric $$;
CREATE FUNCTION snapdp.check_dataset() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM snapdp.entry e WHERE e.account = NEW.account AND e.version = NEW.version
                   AND e.kind = 'dataset' AND e.author = session_user) THEN
        RAISE EXCEPTION 'the version contradicts the ledger' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE FUNCTION snapdp.check_entry() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE snapdp.entry (
    account text NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    version text,
    request text,
    reserve integer,
    body text NOT NULL,
    digest text NOT NULL,
    author name NOT NULL
);
CREATE FUNCTION snapdp.entry_at(asked text, place integer) RETURNS SETOF snapdp.entry
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT e.* FROM snapdp.entry e JOIN snapdp.standing s ON s.account = e.account
    WHERE e.account = asked AND e.number = place
      AND (e.number = 0 OR e.number = s.entries - 1 OR e.author = session_user OR snapdp.is_keeper())
$$;
CREATE TABLE snapdp.standing (
    account text NOT NULL,
    entries integer NOT NULL,
    spent text NOT NULL,
    head text NOT NULL
);
CREATE FUNCTION snapdp.hold(held text) RETURNS SETOF snapdp.standing
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$ SELECT * FROM snapdp.standing WHERE account = held FOR UPDATE $$;
CREATE FUNCTION snapdp.is_amount(amount text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $_$
    SELECT COALESCE(length(amount) <= 2001 AND amount ~ '^(0|[1-9][0-9]*)(/[1-9][0-9]*)?$' AND CASE WHEN amount LIKE '%/%'
        THEN snapdp.bottom(amount) > 1 AND gcd(snapdp.top(amount), snapdp.bottom(amount)) = 1 ELSE true END, false)
$_$;
CREATE FUNCTION snapdp.is_keeper() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class WHERE oid = 'snapdp.entry'::regclass
$$;
CREATE FUNCTION snapdp.said(body text) RETURNS json
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT regexp_replace(body, '\\u0000|\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|'
        '(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}', '\\ufffd', 'g')::json
$$;
CREATE FUNCTION snapdp.top(amount text) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT split_part(amount, '/', 1)::numeric $$;
CREATE FUNCTION snapdp.twins(asked text, of_version text, of_request text) RETURNS SETOF snapdp.entry
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT * FROM snapdp.entry WHERE account = asked AND version = of_version AND request = of_request ORDER BY number
$$;
CREATE TABLE snapdp.dataset (
    keyed text NOT NULL,
    account text NOT NULL,
    version text NOT NULL,
    seal text NOT NULL
);
CREATE TABLE snapdp.ledger (
    one boolean DEFAULT true NOT NULL,
    format integer NOT NULL,
    name text NOT NULL,
    key bytea NOT NULL,
    seal text NOT NULL,
    CONSTRAINT ledger_one_check CHECK (one)
);
CREATE TABLE snapdp.migration (
    number integer NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    applied timestamp with time zone DEFAULT now() NOT NULL,
    applied_by name DEFAULT SESSION_USER NOT NULL
);
INSERT INTO snapdp.dataset VALUES ('603fd23647449b13366c8c9f14cdf386729436baad68bb1c84f0b5e74716a380', 'people', 'ab1d1d9c16f40021', '4a6f1b82a713bf36a0fe0e21806fadf42411bee71bbab1ef9a83610d985ffaeb');
INSERT INTO snapdp.entry VALUES ('people', 0, 'open', NULL, NULL, NULL, '{"account":"people","cap":"10","kind":"open","ledger":"2a2f0aa87ed36458","number":0,"previous":"","relation":"change-one","rows":60,"spent":"0","time":"2026-11-16T06:49:58Z","unit":"row"}', 'sha256:c4b1bf647dc327301ef803264ddcd23ac4050c393f3ddf6f44d8ac663a94a011', 'postgres');
INSERT INTO snapdp.entry VALUES ('people', 1, 'dataset', 'ab1d1d9c16f40021', NULL, NULL, '{"account":"people","kind":"dataset","number":1,"previous":"sha256:c4b1bf647dc327301ef803264ddcd23ac4050c393f3ddf6f44d8ac663a94a011","spent":"0","version":"ab1d1d9c16f40021"}', 'sha256:2d962de9c51316cac4d141da02aee90a515c9f784278a778a7e3487af9539455', 'golden_analyst');
INSERT INTO snapdp.entry VALUES ('people', 2, 'reserve', 'ab1d1d9c16f40021', 'sha256:635c74485c7bdc5ac16770b5d327c96d32f358aaa32a6f331f0030cfa9f6d5ea', NULL, '{"account":"people","asked":{"n":60,"relation":"change-one","snapdp_request":1,"statistics":[{"alpha":"1/20","columns":[{"kind":"integer","lower":"0","missing":"60","name":"age","step":"1","upper":"120"}],"epsilon":"1/2","kind":"mean","title":"mean(age)"},{"alpha":"1/20","columns":[{"categories":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42"],"kind":"category","name":"region","null":"dropped","unknown":"binned"}],"epsilon":"1/3","kind":"histogram","title":"histogram(region)"},{"alpha":"1/20","columns":[{"kind":"number","lower":"0","missing":"100","name":"income","step":"1/2","upper":"5000"}],"epsilon":"1","kind":"variance","title":"variance(income)"},{"alpha":"1/20","columns":[{"kind":"integer","lower":"0","missing":"60","name":"age","step":"1","upper":"120"},{"kind":"number","lower":"0","missing":"100","name":"income","step":"1/2","upper":"5000"}],"epsilon":"1","kind":"covariance","title":"covariance(age, income)"},{"alpha":"1/20","by":{"categories":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42"],"kind":"category","name":"region","null":"dropped","unknown":"binned"},"columns":[{"kind":"number","lower":"0","missing":"100","name":"income","step":"1/2","upper":"5000"}],"count_share":"1/2","epsilon":"2","kind":"mean","title":"mean(income) by region"},{"alpha":"1/10","epsilon":"303/1250","kind":"count","title":"count where 65 <= age","where":[{"column":{"kind":"integer","lower":"0","missing":"60","name":"age","step":"1","upper":"120"},"from":"65"}]}],"unit":"row"},"epsilon":"9517/1875","kind":"reserve","number":2,"previous":"sha256:2d962de9c51316cac4d141da02aee90a515c9f784278a778a7e3487af9539455","request":"sha256:635c74485c7bdc5ac16770b5d327c96d32f358aaa32a6f331f0030cfa9f6d5ea","session":"63a733c2f9c946667e29a431d9782c4e","spent":"9517/1875","time":"2026-11-16T06:49:58Z","version":"ab1d1d9c16f40021"}', 'sha256:872b5622182f013f26d22a4d361541efb66f2d0724801f90498901222fa18324', 'golden_analyst');
INSERT INTO snapdp.entry VALUES ('people', 3, 'commit', 'ab1d1d9c16f40021', 'sha256:635c74485c7bdc5ac16770b5d327c96d32f358aaa32a6f331f0030cfa9f6d5ea', 2, '{"account":"people","kind":"commit","number":3,"previous":"sha256:872b5622182f013f26d22a4d361541efb66f2d0724801f90498901222fa18324","record":{"arithmetic":"exact","charged":"9517/1875","dataset":"people","dataset_version":"ab1d1d9c16f40021","derived":[{"alpha":"1/20","cell":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42","(unknown)"],"cells":6,"high":[0.6666666666666667,0.4666666666666667,0.6833333333333333,0.48333333333333334,0.5,0.33333333333333337],"low":[0.06666666666666667,0.0,0.08333333333333333,0.0,0.0,0.0],"name":"share","statistic":1,"title":"shares of histogram(region)","value":[0.36666666666666664,0.16666666666666666,0.38333333333333336,0.18333333333333332,0.2,0.03333333333333333]},{"alpha":"1/20","cell":[""],"cells":1,"high":[1907.8267199146624],"low":[1066.507558754909],"name":"standard deviation","statistic":2,"title":"standard deviation(income)","value":[1545.5162836576155]},{"alpha":"1/20","cell":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42","(unknown)"],"cells":6,"high":[4404.64,5000.0,3957.2307692307695,5000.0,5000.0,5000.0],"low":[1414.56,1305.3333333333333,0.0,806.4615384615385,0.0,0.0],"name":"mean","statistic":4,"title":"mean(income) by region","value":[2756.0,3609.3333333333335,1841.7142857142858,3048.5714285714284,2500.0,2500.0]}],"n":60,"previous":"sha256:872b5622182f013f26d22a4d361541efb66f2d0724801f90498901222fa18324","relation":"change-one","request":"sha256:635c74485c7bdc5ac16770b5d327c96d32f358aaa32a6f331f0030cfa9f6d5ea","snapdp_record":1,"statistics":[{"alpha":"1/20","columns":[{"kind":"integer","lower":"0","missing":"60","name":"age","step":"1","upper":"120"}],"epsilon":"1/2","kind":"mean","parts":[{"cell":[""],"cells":1,"clamp":["-6656","13856"],"epsilon":"1/2","factor":"1/60","grid":"16","high":[66.66666666666667],"index":[205],"low":[42.666666666666664],"lower":"0","moving":1,"name":"sum above lower","noise_scale":"240","sensitivity":"120","shift":"0","upper":"7200","value":[54.666666666666664],"whole":false}],"title":"mean(age)"},{"alpha":"1/20","columns":[{"categories":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42"],"kind":"category","name":"region","null":"dropped","unknown":"binned"}],"epsilon":"1/3","kind":"histogram","parts":[{"cell":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42","(unknown)"],"cells":6,"clamp":["-166","226"],"epsilon":"1/6","factor":"1","grid":"1","high":[40,28,41,29,30,20],"index":[22,10,23,11,12,2],"low":[4,0,5,0,0,0],"lower":"0","moving":2,"name":"count","noise_scale":"6","sensitivity":"1","shift":"0","upper":"60","value":[22,10,23,11,12,2],"whole":true}],"title":"histogram(region)"},{"alpha":"1/20","columns":[{"kind":"number","lower":"0","missing":"100","name":"income","step":"1/2","upper":"5000"}],"epsilon":"1","kind":"variance","parts":[{"cell":[""],"cells":1,"clamp":["-163745628160","253403070464"],"epsilon":"1","factor":"1/14160","grid":"536870912","high":[3639802.7932203393],"index":[63],"low":[1137438.372881356],"lower":"0","moving":1,"name":"variance numerator","noise_scale":"5900000000","sensitivity":"5900000000","shift":"0","upper":"90000000000","value":[2388620.5830508475],"whole":false}],"title":"variance(income)"},{"alpha":"1/20","columns":[{"kind":"integer","lower":"0","missing":"60","name":"age","step":"1","upper":"120"},{"kind":"number","lower":"0","missing":"100","name":"income","step":"1/2","upper":"5000"}],"epsilon":"1","kind":"covariance","parts":[{"cell":[""],"cells":1,"clamp":["-3045064704","3045064704"],"epsilon":"1","factor":"1/7080","grid":"8388608","high":[23104.216949152546],"index":[-6],"low":[-37322.19661016949],"lower":"-1080000000","moving":1,"name":"covariance numerator","noise_scale":"70800000","sensitivity":"70800000","shift":"0","upper":"1080000000","value":[-7108.989830508474],"whole":false}],"title":"covariance(age, income)"},{"alpha":"1/20","by":{"categories":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42"],"kind":"category","name":"region","null":"dropped","unknown":"binned"},"columns":[{"kind":"number","lower":"0","missing":"100","name":"income","step":"1/2","upper":"5000"}],"count_share":"1/2","epsilon":"2","kind":"mean","parts":[{"cell":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42","(unknown)"],"cells":6,"clamp":["-1155072","1155072"],"epsilon":"1/2","factor":"1/4","grid":"2048","high":[20224.0,28416.0,5888.0,22784.0,17664.0,14592.0],"index":[10,26,-18,15,5,-1],"low":[-9984.0,-1792.0,-24320.0,-7424.0,-12544.0,-15616.0],"lower":"-600000","moving":2,"name":"centred sum","noise_scale":"20000","sensitivity":"10000","shift":"0","upper":"600000","value":[5120.0,13312.0,-9216.0,7680.0,2560.0,-512.0],"whole":false},{"cell":["north","south","east & west","the \"rest\"","\u00e9 \ud83d\ude42","(unknown)"],"cells":6,"clamp":["-55","115"],"epsilon":"1/2","factor":"1","grid":"1","high":[26,18,20,20,5,4],"index":[20,12,14,14,-1,-2],"low":[14,6,8,8,0,0],"lower":"0","moving":2,"name":"count","noise_scale":"2","sensitivity":"1","shift":"0","upper":"60","value":[20,12,14,14,-1,-2],"whole":true}],"title":"mean(income) by region"},{"alpha":"1/10","epsilon":"303/1250","kind":"count","parts":[{"cell":[""],"cells":1,"clamp":["-114","174"],"epsilon":"303/1250","factor":"1","grid":"1","high":[22],"index":[13],"low":[4],"lower":"0","moving":1,"name":"count","noise_scale":"1250/303","sensitivity":"1","shift":"0","upper":"60","value":[13],"whole":true}],"title":"count where 65 <= age","where":[{"column":{"kind":"integer","lower":"0","missing":"60","name":"age","step":"1","upper":"120"},"from":"65"}]}],"unit":"row","versions":{"cryptography":"50.0.2","duckdb":"2.0.0","gmpy2":"2.3.2","numpy":"2.4.6","python":"3.11.7","snapdp":"0.1.0"}},"request":"sha256:635c74485c7bdc5ac16770b5d327c96d32f358aaa32a6f331f0030cfa9f6d5ea","reserve":2,"spent":"9517/1875","version":"ab1d1d9c16f40021"}', 'sha256:c8fe7cef14efe444fbd0932249f93120edb0406756ef254b2e48b881c829f542', 'golden_analyst');
INSERT INTO snapdp.entry VALUES ('people', 4, 'reserve', 'ab1d1d9c16f40021', 'sha256:726a2e64b2d6df696f2cc9f123148c3883d522d428d0c18bd0959e22493a0056', NULL, '{"account":"people","asked":{"n":60,"relation":"change-one","snapdp_request":1,"statistics":[{"alpha":"1/20","columns":[{"kind":"number","lower":"0","missing":"60","name":"age","step":"1/16384","upper":"120"}],"epsilon":"1/2","kind":"mean","title":"mean(age)"}],"unit":"row"},"epsilon":"1/2","kind":"reserve","number":4,"previous":"sha256:c8fe7cef14efe444fbd0932249f93120edb0406756ef254b2e48b881c829f542","request":"sha256:726a2e64b2d6df696f2cc9f123148c3883d522d428d0c18bd0959e22493a0056","session":"04ede20229597abbef1c3d2141d5b55f","spent":"20909/3750","time":"2026-11-16T06:49:59Z","version":"ab1d1d9c16f40021"}', 'sha256:5073d21dad7913eed25f2c867fee357ab1d71d29a0e89a969c28ad837fe2ef43', 'postgres');
INSERT INTO snapdp.entry VALUES ('people', 5, 'commit', 'ab1d1d9c16f40021', 'sha256:726a2e64b2d6df696f2cc9f123148c3883d522d428d0c18bd0959e22493a0056', 4, '{"account":"people","kind":"commit","number":5,"previous":"sha256:5073d21dad7913eed25f2c867fee357ab1d71d29a0e89a969c28ad837fe2ef43","record":{"arithmetic":"exact","charged":"1/2","dataset":"people","dataset_version":"ab1d1d9c16f40021","derived":[],"n":60,"previous":"sha256:5073d21dad7913eed25f2c867fee357ab1d71d29a0e89a969c28ad837fe2ef43","relation":"change-one","request":"sha256:726a2e64b2d6df696f2cc9f123148c3883d522d428d0c18bd0959e22493a0056","snapdp_record":1,"statistics":[{"alpha":"1/20","columns":[{"kind":"number","lower":"0","missing":"60","name":"age","step":"1/16384","upper":"120"}],"epsilon":"1/2","kind":"mean","parts":[{"cell":[""],"cells":1,"clamp":["-109051904","227016704"],"epsilon":"1/2","factor":"1/983040","grid":"262144","high":[64.53333333333335],"index":[197],"low":[40.53333333333333],"lower":"0","moving":1,"name":"sum above lower","noise_scale":"3932160","sensitivity":"1966080","shift":"0","upper":"117964800","value":[52.53333333333333],"whole":false}],"title":"mean(age)"}],"unit":"row","versions":{"cryptography":"50.0.2","duckdb":"2.0.0","gmpy2":"2.3.2","numpy":"2.4.6","python":"3.11.7","snapdp":"0.1.0"}},"request":"sha256:726a2e64b2d6df696f2cc9f123148c3883d522d428d0c18bd0959e22493a0056","reserve":4,"spent":"20909/3750","version":"ab1d1d9c16f40021"}', 'sha256:162a74b656119361685b006bb5f1e842db07c440c88a9c513b3b9b3c9b02a4e8', 'postgres');
INSERT INTO snapdp.ledger VALUES (true, 1, '2a2f0aa87ed36458', '\x8a396594cb59c2c40a949c35e175f8fcdcd9b2cc8101b0adee64e890b27d64bd', 'b2b78895a2981c39a14b4d2e4de50dbfc7157370a89d3da39771a35b65bd2098');
INSERT INTO snapdp.migration VALUES (1, 'ledger', 'f29da35df4b6c1f56c1d101eacdb488e5621d10484dca354ef75b4b46e195cb6', '2026-11-16 06:49:58.044976+00', 'postgres');
INSERT INTO snapdp.standing VALUES ('people', 6, '20909/3750', 'sha256:162a74b656119361685b006bb5f1e842db07c440c88a9c513b3b9b3c9b02a4e8');
ALTER TABLE ONLY snapdp.dataset
    ADD CONSTRAINT dataset_pkey PRIMARY KEY (keyed);
ALTER TABLE ONLY snapdp.dataset
    ADD CONSTRAINT dataset_version_key UNIQUE (version);
ALTER TABLE ONLY snapdp.entry
    ADD CONSTRAINT entry_pkey PRIMARY KEY (account, number);
ALTER TABLE ONLY snapdp.ledger
    ADD CONSTRAINT ledger_pkey PRIMARY KEY (one);
ALTER TABLE ONLY snapdp.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY snapdp.standing
    ADD CONSTRAINT standing_pkey PRIMARY KEY (account);
CREATE INDEX entry_by_request ON snapdp.entry USING btree (account, version, request);
CREATE UNIQUE INDEX one_answer ON snapdp.entry USING btree (account, version, request) WHERE (kind = 'commit'::text);
CREATE UNIQUE INDEX one_closing ON snapdp.entry USING btree (account, reserve) WHERE (reserve IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON snapdp.dataset FOR EACH STATEMENT EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON snapdp.entry FOR EACH STATEMENT EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON snapdp.ledger FOR EACH STATEMENT EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON snapdp.migration FOR EACH STATEMENT EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON snapdp.standing FOR EACH STATEMENT EXECUTE FUNCTION snapdp.append_only();
CREATE TRIGGER check_dataset BEFORE INSERT ON snapdp.dataset FOR EACH ROW EXECUTE FUNCTION snapdp.check_dataset();
CREATE TRIGGER check_entry BEFORE INSERT ON snapdp.entry FOR EACH ROW EXECUTE FUNCTION snapdp.check_entry();
ALTER TABLE ONLY snapdp.dataset
    ADD CONSTRAINT dataset_account_fkey FOREIGN KEY (account) REFERENCES snapdp.standing(account);
ALTER TABLE ONLY snapdp.entry
    ADD CONSTRAINT entry_account_fkey FOREIGN KEY (account) REFERENCES snapdp.standing(account);
CREATE POLICY anybody_appends ON snapdp.entry FOR INSERT WITH CHECK (true);
ALTER TABLE snapdp.entry ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_entries ON snapdp.entry FOR SELECT USING (((author = SESSION_USER) OR (kind = 'open'::text) OR snapdp.is_keeper()));
GRANT USAGE ON SCHEMA snapdp TO golden_analyst;
REVOKE ALL ON FUNCTION snapdp.admit(role name) FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.append_only() FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.bottom(amount text) FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.check_dataset() FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.check_entry() FROM PUBLIC;
GRANT SELECT,INSERT ON TABLE snapdp.entry TO golden_analyst;
REVOKE ALL ON FUNCTION snapdp.entry_at(asked text, place integer) FROM PUBLIC;
GRANT ALL ON FUNCTION snapdp.entry_at(asked text, place integer) TO golden_analyst;
GRANT SELECT ON TABLE snapdp.standing TO golden_analyst;
REVOKE ALL ON FUNCTION snapdp.hold(held text) FROM PUBLIC;
GRANT ALL ON FUNCTION snapdp.hold(held text) TO golden_analyst;
REVOKE ALL ON FUNCTION snapdp.is_amount(amount text) FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.is_keeper() FROM PUBLIC;
GRANT ALL ON FUNCTION snapdp.is_keeper() TO golden_analyst;
REVOKE ALL ON FUNCTION snapdp.said(body text) FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.top(amount text) FROM PUBLIC;
REVOKE ALL ON FUNCTION snapdp.twins(asked text, of_version text, of_request text) FROM PUBLIC;
GRANT ALL ON FUNCTION snapdp.twins(asked text, of_version text, of_request text) TO golden_analyst;
GRANT SELECT,INSERT ON TABLE snapdp.dataset TO golden_analyst;
GRANT SELECT ON TABLE snapdp.ledger TO golden_analyst;
GRANT SELECT ON TABLE snapdp.migration TO golden_analyst;
