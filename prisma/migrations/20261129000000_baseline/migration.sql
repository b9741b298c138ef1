-- The whole schema of release 0.4.0. Later changes are migrations of their own, which only expand (decision 0014).

-- Functions may name tables that follow.
SET LOCAL check_function_bodies = off;

-- FUNCTIONS

-- A check that leaves its slot keeps the time at which it was last claimed, and its provider's floor. Whoever moves it
-- knows only its own row. The lock keeps the slot from being claimed meanwhile.
CREATE FUNCTION check_leaves_slot()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
DECLARE
  s public.check_slots;
BEGIN
  SELECT * INTO s FROM public.check_slots
  WHERE provider = OLD.provider AND ring = OLD.ring AND slot = OLD.slot FOR KEY SHARE;
  NEW.claimed_at := GREATEST(NEW.claimed_at, public.check_claimed_at(OLD, s));
  NEW.next_check_at := GREATEST(NEW.next_check_at, NEW.claimed_at + make_interval(secs => s.floor_seconds));
  RETURN NEW;
END
$$;

-- The timeline of this server: a promotion and a recovery to a point in time start the next one. 0 where the server
-- does not tell. Both functions are immutable so that a plan computes them once: a session that can write lives on one
-- timeline of one server.
CREATE FUNCTION feed_timeline()
  RETURNS integer
  LANGUAGE plpgsql
  IMMUTABLE
AS $$
BEGIN
  RETURN ('x' || left(pg_walfile_name('0/1'), 8))::bit(32)::int;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 0;
END $$;

-- The identifier of this cluster: standbys and base backups share it, a dump that is restored elsewhere does not.
CREATE FUNCTION feed_system()
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
AS $$
BEGIN
  RETURN (SELECT system_identifier::text FROM pg_control_system()) || '.' || 'public.feed_epochs'::regclass::oid;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 'public.feed_epochs'::regclass::oid::text;
END $$;

-- The searched text of a parcel: a line each for its number, order and title.
CREATE FUNCTION search_text(number text, order_id text, title text)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE PARALLEL SAFE
AS $$
  SELECT lower(number || COALESCE(chr(10) || order_id, '') || COALESCE(chr(10) || title, ''))
$$;

-- Every three characters in a row, and every two if one of them is not ASCII: words of Chinese are that short. As
-- numbers that differ between accounts, so that a search never reads what other accounts have in common with it. A loop
-- takes a quarter of the time of a query. The cost keeps the planner from computing it for each row instead of reading
-- the index.
CREATE FUNCTION search_grams(account_id text, searched text)
  RETURNS bigint[]
  LANGUAGE plpgsql
  IMMUTABLE PARALLEL SAFE STRICT COST 10000
AS $$
DECLARE
  seed BIGINT := hashtextextended(account_id, 0);
  size INTEGER := length(searched);
  grams BIGINT[] := '{}';
  pair TEXT;
BEGIN
  FOR n IN 1 .. size - 2 LOOP
    grams[n] := hashtextextended(substr(searched, n, 3), seed);
  END LOOP;
  IF octet_length(searched) > size THEN
    FOR n IN 1 .. size - 1 LOOP
      pair := substr(searched, n, 2);
      IF octet_length(pair) > 2 THEN
        grams := grams || hashtextextended(pair, seed);
      END IF;
    END LOOP;
  END IF;
  RETURN grams;
END
$$;

-- The order id and each entry of the metadata of a parcel as a whole, as numbers that differ between accounts, too: the
-- index of the grams has them as well, so that a parcel without any costs nothing more. No control character is part of
-- them.
CREATE FUNCTION search_refs(account_id text, order_id text, metadata jsonb)
  RETURNS bigint[]
  LANGUAGE plpgsql
  IMMUTABLE PARALLEL SAFE COST 10000
AS $$
DECLARE
  seed BIGINT;
  refs BIGINT[];
  entry RECORD;
BEGIN
  IF order_id IS NULL AND metadata IS NULL THEN
    RETURN NULL;
  END IF;
  seed := hashtextextended(account_id, 0);
  IF order_id IS NOT NULL THEN
    refs := ARRAY[hashtextextended(chr(31) || order_id, seed)];
  END IF;
  IF jsonb_typeof(metadata) = 'object' THEN
    FOR entry IN SELECT key, value FROM jsonb_each_text(metadata) LOOP
      refs := refs || hashtextextended(entry.key || chr(31) || entry.value, seed);
    END LOOP;
  END IF;
  RETURN refs;
END
$$;

-- Registrations write their row themselves; these changes are rare, and have many writers.
CREATE FUNCTION tracking_search_change()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE public.tracking_search
  SET carrier = NEW.carrier, text = public.search_text(NEW.tracking_number, NEW.order_id, NEW.title),
    order_id = NEW.order_id, metadata = NEW.metadata
  WHERE account_id = NEW.account_id AND tracking_id = NEW.id;
  RETURN NULL;
END
$$;

CREATE FUNCTION tracking_search_remove()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM public.tracking_search WHERE account_id = OLD.account_id AND tracking_id = OLD.id;
  RETURN NULL;
END
$$;

-- Entries outlive their account, and nobody changes them: neither the service nor, without changing the schema, its
-- owner. Only their names may be removed, which may be of persons.
CREATE FUNCTION audit_log_refuse()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    OLD.names := NULL;
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'audit_log is append-only';
END $$;

-- Messages, deliveries and attempts are partitioned by time (decision 0042). Their ids begin with it: the first four
-- characters are the period, of 2^16 seconds, with which partitions begin and end.
CREATE FUNCTION history_period(at timestamp with time zone)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
AS $$
  SELECT (floor(extract(epoch FROM at))::bigint >> 16)::int
$$;

-- The lowest id of what was made at a time.
CREATE FUNCTION history_id_at(at timestamp with time zone)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
AS $$
  SELECT lpad(to_hex(public.history_period(at)), 4, '0')
$$;

-- Where a period begins, as a literal; and the period of an id.
CREATE FUNCTION history_bound(period integer)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
AS $$
  SELECT quote_literal(lpad(to_hex(period), 4, '0'))
$$;

CREATE FUNCTION history_period_of(id text)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
AS $$
  SELECT ('x' || lpad(left(id, 4), 8, '0'))::bit(32)::int
$$;

-- Deletes the deliveries of messages that are deleted one by one; those of a dropped partition are dropped with theirs.
CREATE FUNCTION delete_deliveries()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
DECLARE
  ids TEXT[] := ARRAY(SELECT id FROM removed);
  -- So that other partitions are not read.
  low TEXT := (SELECT min(id) FROM removed);
  high TEXT := (SELECT max(id) FROM removed);
BEGIN
  DELETE FROM public.deliveries WHERE message_id = ANY (ids) AND message_id >= low AND message_id <= high;
  RETURN NULL;
END
$$;

-- Creates a partition, with the settings that a partition does not inherit (decision 0011).
CREATE FUNCTION history_create(parent text, part text, low text, high text)
  RETURNS void
  LANGUAGE plpgsql
AS $$
DECLARE
  name TEXT := parent || '_' || part;
  col NAME;
BEGIN
  EXECUTE format('CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES FROM (%s) TO (%s)', name, parent, low, high);
  FOR col IN SELECT attname FROM pg_catalog.pg_attribute
    WHERE attrelid = format('public.%I', parent)::regclass AND attoptions @> '{n_distinct_inherited=1}' LOOP
    EXECUTE format('ALTER TABLE public.%I ALTER COLUMN %I SET (n_distinct = 1)', name, col);
  END LOOP;
  -- The rows of deliveries are rewritten with each attempt: clean up early.
  IF parent = 'deliveries' THEN
    EXECUTE format('ALTER TABLE public.%I SET (autovacuum_vacuum_scale_factor = 0.02)', name);
  END IF;
END
$$;

-- The last bound of a table up to a period below which nothing is pending. Of each partition it reads one pending row
-- at most: after a long stop of all dispatchers there may be millions, and each rotation would read them.
CREATE FUNCTION history_edge(parent text, period integer)
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO 'pg_catalog'
  SET enable_seqscan TO 'off'
  SET jit TO 'off'
AS $$
DECLARE
  part RECORD;
  is_pending BOOLEAN;
BEGIN
  IF parent <> 'delivery_attempts' THEN
    FOR part IN SELECT name, COALESCE(begins, 0) AS begins FROM public.history_partitions
      WHERE "table" = 'deliveries' AND COALESCE(begins, 0) < period ORDER BY 2 LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM public.%1$I WHERE state = ''owed'' AND fresh)
        OR EXISTS (SELECT FROM public.%1$I WHERE state = ''owed'' AND NOT fresh)', part.name) INTO is_pending;
      IF is_pending THEN
        period := part.begins;
        EXIT;
      END IF;
    END LOOP;
  END IF;
  RETURN (SELECT max(ends) FROM public.history_partitions WHERE "table" = parent AND ends <= period);
END
$$;

-- Drops what ended more than `retention_days` (four at least) before `at`, except messages and deliveries from which
-- something is still pending, and keeps three periods (two days) ahead of it, in one transaction. Nothing happens
-- because one clock is fast, the server's or the caller's. For the service's role, which may neither create nor drop
-- tables. Returns how many partitions were created and dropped; null if another process is at it, or if others use the
-- table for long: whoever wants it waits behind this function. Whoever makes a delivery pending has its message locked,
-- so with the messages locked nothing old can become pending: they are to be rotated first.
CREATE FUNCTION history_rotate(parent text, retention_days integer, at timestamp with time zone)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO 'pg_catalog'
  SET lock_timeout TO '200ms'
AS $$
DECLARE
  days INTEGER := GREATEST(retention_days, 4);
  width INTEGER := LEAST(GREATEST(days::bigint * 86400 / 4 / 65536, 1), 120);
  moment TIMESTAMPTZ := LEAST(at, now());
  today INTEGER := public.history_period(moment);
  oldest INTEGER := public.history_period(moment - make_interval(days => days));
  key TEXT := CASE parent WHEN 'deliveries' THEN 'message_id' ELSE 'id' END;
  tail_table TEXT := parent || '_tail';
  -- The last bound below which everything is expired.
  edge INTEGER;
  tail INTEGER;
  until INTEGER;
  highest TEXT;
  expired NAME[];
  part NAME;
  changed INTEGER := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7351002) THEN RETURN NULL; END IF;
  tail := (SELECT max(begins) FROM public.history_partitions WHERE "table" = parent);
  edge := public.history_edge(parent, oldest);
  -- An empty floor alone is not worth the locks.
  IF EXISTS (SELECT FROM public.history_partitions WHERE "table" = parent AND ends <= edge AND (begins IS NOT NULL OR is_filled)) THEN
    IF parent = 'messages' THEN PERFORM public.history_note_pruned(edge); END IF;
    EXECUTE format('LOCK TABLE ONLY public.%I IN ACCESS EXCLUSIVE MODE', parent);
    edge := public.history_edge(parent, edge);
    expired := ARRAY(SELECT name FROM public.history_partitions WHERE "table" = parent AND ends <= edge);
    FOREACH part IN ARRAY expired LOOP
      EXECUTE format('DROP TABLE public.%I', part);
    END LOOP;
    changed := cardinality(expired);
    IF changed > 0 THEN
      PERFORM public.history_create(parent, 'floor', 'MINVALUE', public.history_bound(edge));
    END IF;
  END IF;
  WHILE tail < today + 3 LOOP
    EXECUTE format('LOCK TABLE ONLY public.%I IN ACCESS EXCLUSIVE MODE', parent);
    -- Not narrower than the time in which nothing rotated.
    until := GREATEST(tail + width, today + 1);
    part := 'p' || tail;
    IF pg_relation_size(format('public.%I', tail_table)::regclass) = 0 THEN
      EXECUTE format('DROP TABLE public.%I', tail_table);
      PERFORM public.history_create(parent, part, public.history_bound(tail), public.history_bound(until));
    ELSE
      EXECUTE format('ALTER TABLE public.%I DETACH PARTITION public.%I', parent, tail_table);
      EXECUTE format('SELECT max(%I)::text FROM public.%I', key, tail_table) INTO highest;
      until := GREATEST(until, public.history_period_of(highest) + 1);
      EXECUTE format('ALTER TABLE public.%I RENAME TO %I', tail_table, parent || '_' || part);
      EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%s) TO (%s)',
        parent, parent || '_' || part, public.history_bound(tail), public.history_bound(until));
    END IF;
    PERFORM public.history_create(parent, 'tail', public.history_bound(until), 'MAXVALUE');
    tail := until;
    changed := changed + 1;
  END LOOP;
  RETURN changed;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END
$$;

-- Notes how far the feed of each account is removed with the messages below a bound: in one order of locks, as whoever
-- deletes single messages does.
CREATE FUNCTION history_note_pruned(edge integer)
  RETURNS void
  LANGUAGE sql
  SET search_path TO 'pg_catalog'
  SET enable_seqscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
AS $$
  WITH last AS MATERIALIZED (
    SELECT a.id, m.xact, m.position FROM public.accounts a CROSS JOIN LATERAL (
      SELECT xact, position FROM public.messages WHERE account_id = a.id AND id < lpad(to_hex(edge), 4, '0')
      ORDER BY xact DESC, position DESC LIMIT 1) m
  ), known AS (
    SELECT id FROM public.accounts WHERE id IN (SELECT id FROM last) ORDER BY id FOR NO KEY UPDATE
  )
  UPDATE public.accounts a SET pruned_xact = last.xact, pruned_position = last.position
  FROM known JOIN last ON last.id = known.id
  WHERE a.id = known.id AND (a.pruned_xact IS NULL OR (a.pruned_xact, a.pruned_position) < (last.xact, last.position))
$$;

-- Partitioned tables are never analyzed automatically. A call of its own: the statement that rotates holds locks.
CREATE FUNCTION history_analyze(parent text)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO 'pg_catalog'
AS $$
BEGIN
  IF EXISTS (SELECT FROM public.history_partitions WHERE "table" = parent) THEN
    EXECUTE format('ANALYZE public.%I', parent);
  END IF;
END
$$;

-- Analyzes a table of the role that migrates, for the service's role, which may not (decision 0011).
CREATE FUNCTION analyze_table(name text)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO 'pg_catalog'
AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = name AND relkind = 'r'
    AND pg_has_role(relowner, 'USAGE')) THEN
    EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', name);
  END IF;
END
$$;

-- TABLE accounts
CREATE TABLE "accounts" (
  "id" VARCHAR(24) NOT NULL,
  "name" TEXT NOT NULL,
  "plan" TEXT NOT NULL,
  "quota_override" INTEGER,
  "disabled_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "test_of" VARCHAR(24),
  "pruned_xact" BIGINT,
  "pruned_position" BIGINT,
  "monitor_after" VARCHAR(24),
  "include" TEXT[] NOT NULL DEFAULT '{}'::text[],
  "language" VARCHAR(2),
  "attention" JSONB,
  "erase_at" TIMESTAMPTZ(3),
  CONSTRAINT "accounts_pkey" PRIMARY KEY (id)
);
CREATE INDEX accounts_attention_events_idx ON accounts (id) WHERE ((attention ->> 'events'::text) = 'true'::text);
CREATE INDEX accounts_erase_at_idx ON accounts (erase_at) WHERE (erase_at IS NOT NULL);
CREATE INDEX accounts_monitor_after_idx ON accounts (id) WHERE (monitor_after IS NOT NULL);
CREATE UNIQUE INDEX accounts_test_of_key ON accounts (test_of);

-- TABLE page_settings
-- How the buyers' pages of an account look, and whether it has them: no row means no.
CREATE TABLE "page_settings" (
  "account_id" VARCHAR(24) NOT NULL,
  "enabled" BOOLEAN NOT NULL DEFAULT false,
  "name" VARCHAR(100),
  "color" VARCHAR(7),
  "shop_url" VARCHAR(2048),
  "support_url" VARCHAR(2048),
  "hide_carrier" BOOLEAN NOT NULL DEFAULT false,
  "hide_places" BOOLEAN NOT NULL DEFAULT false,
  "embed_origins" TEXT[] DEFAULT ARRAY[]::text[],
  "gone_after_days" INTEGER NOT NULL DEFAULT 90,
  "logo" BYTEA,
  "logo_width" INTEGER,
  "logo_height" INTEGER,
  "notify_url" VARCHAR(2048),
  "hide_order" BOOLEAN NOT NULL DEFAULT false,
  "allow_lookup" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "page_settings_pkey" PRIMARY KEY (account_id)
);

-- TABLE api_keys
CREATE TABLE "api_keys" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "key_hash" BYTEA NOT NULL,
  "hint" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "revoked_at" TIMESTAMPTZ(3),
  "name" VARCHAR(254),
  "scopes" TEXT[] NOT NULL DEFAULT '{read,write,webhooks,admin}'::text[],
  "expires_at" TIMESTAMPTZ(3),
  "networks" TEXT[] NOT NULL DEFAULT '{}'::text[],
  "last_used_at" TIMESTAMPTZ(3),
  "member_id" VARCHAR(24),
  CONSTRAINT "api_keys_pkey" PRIMARY KEY (id)
);
CREATE INDEX api_keys_account_id_idx ON api_keys (account_id);
CREATE INDEX api_keys_expires_at_idx ON api_keys (expires_at) WHERE (expires_at IS NOT NULL AND revoked_at IS NULL);
CREATE UNIQUE INDEX api_keys_key_hash_key ON api_keys (key_hash);
CREATE INDEX api_keys_member_id_idx ON api_keys (member_id);

-- TABLE members
CREATE TABLE "members" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "email" VARCHAR(254) NOT NULL,
  "role" VARCHAR(12) NOT NULL,
  "subject" VARCHAR(43),
  "name" VARCHAR(100),
  "invited_by" VARCHAR(254) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "last_sign_in_at" TIMESTAMPTZ(3),
  CONSTRAINT "members_pkey" PRIMARY KEY (id)
);
CREATE UNIQUE INDEX members_account_id_email_key ON members (account_id, email);
CREATE INDEX members_email_idx ON members (email);
CREATE INDEX members_subject_idx ON members (subject);

-- TABLE operator_keys
-- The keys of operators, with which platforms manage accounts over REST. They belong to no account.
CREATE TABLE "operator_keys" (
  "id" VARCHAR(24) NOT NULL,
  "key_hash" BYTEA NOT NULL,
  "hint" TEXT NOT NULL,
  "name" VARCHAR(100) NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "networks" TEXT[] NOT NULL DEFAULT '{}'::text[],
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "revoked_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3),
  CONSTRAINT "operator_keys_pkey" PRIMARY KEY (id)
);
CREATE UNIQUE INDEX operator_keys_key_hash_key ON operator_keys (key_hash);

-- TABLE quota_usage
-- Units used in a UTC month. A check constraint keeps `used <= quota_limit`: a charge beyond it fails its whole
-- statement.
CREATE TABLE "quota_usage" (
  "account_id" VARCHAR(24) NOT NULL,
  "month" DATE NOT NULL,
  "used" INTEGER NOT NULL,
  "quota_limit" INTEGER NOT NULL,
  CONSTRAINT "quota_usage_pkey" PRIMARY KEY (account_id, month),
  CONSTRAINT "quota_usage_within_limit" CHECK ((used <= quota_limit))
);

-- TABLE trackings
-- The snapshot of a parcel: wide, and written only when something changed.
CREATE TABLE "trackings" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "tracking_number" VARCHAR(50) NOT NULL,
  "carrier" VARCHAR(40) NOT NULL,
  "detected" BOOLEAN NOT NULL,
  "provider" VARCHAR(40) NOT NULL,
  "status" VARCHAR(8) NOT NULL,
  "sub_status" VARCHAR(24) NOT NULL,
  "events" JSONB NOT NULL DEFAULT '[]'::jsonb,
  "latest_event" JSONB,
  "seq" INTEGER NOT NULL DEFAULT 0,
  "notice" TEXT,
  "phone" VARCHAR(40),
  "postal_code" VARCHAR(20),
  "destination_country" VARCHAR(2),
  "order_id" VARCHAR(100),
  "title" VARCHAR(200),
  "metadata" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "retracked_at" TIMESTAMPTZ(3),
  "answered_at" TIMESTAMPTZ(3),
  "last_answer" JSONB,
  "asked_before" JSONB,
  "annotations" JSONB,
  "candidates" JSONB,
  "page_generation" INTEGER,
  "page_revoked_at" TIMESTAMPTZ(3),
  "stopped_at" TIMESTAMPTZ(3),
  CONSTRAINT "trackings_pkey" PRIMARY KEY (id)
);
CREATE INDEX trackings_account_id_status_updated_at_id_idx ON trackings (account_id, status, updated_at DESC, id DESC);
CREATE INDEX trackings_account_id_sub_status_updated_at_id_idx ON trackings (account_id, sub_status, updated_at DESC, id DESC);
CREATE UNIQUE INDEX trackings_account_id_tracking_number_carrier_key ON trackings (account_id, tracking_number, carrier);
CREATE INDEX trackings_account_id_updated_at_id_idx ON trackings (account_id, updated_at DESC, id DESC);
CREATE INDEX trackings_expected_idx ON trackings (account_id, sub_status, "left"((annotations #>> '{estimate,to}'::text[]), 10), updated_at DESC, id DESC)
  WHERE ((stopped_at IS NULL) AND (sub_status IN ('info_received', 'in_transit', 'out_for_delivery')) AND ((annotations #>> '{estimate,to}'::text[]) IS NOT NULL));
CREATE INDEX trackings_problem_idx ON trackings (account_id, (annotations ->> 'problem'::text), updated_at DESC, id DESC)
  WHERE (sub_status IN ('exception', 'undeliverable'));
CREATE INDEX trackings_quiet_idx ON trackings (account_id, (
CASE

  WHEN ((sub_status = 'pending') AND (candidates IS NOT NULL) AND detected) THEN 'undecided'
    ELSE sub_status
END), updated_at DESC, id DESC)
  WHERE ((stopped_at IS NULL) AND (sub_status IN ('pending', 'info_received', 'in_transit', 'out_for_delivery')));
CREATE INDEX trackings_tracking_number_carrier_idx ON trackings (tracking_number, carrier);
ALTER TABLE "trackings" ALTER COLUMN "account_id" SET (n_distinct=1);
CREATE TRIGGER tracking_search_change AFTER UPDATE OF tracking_number, carrier, order_id, title, metadata ON trackings
  FOR EACH ROW
  WHEN (new.tracking_number::text IS DISTINCT FROM old.tracking_number::text OR new.carrier::text IS DISTINCT FROM old.carrier::text OR new.order_id::text IS DISTINCT FROM old.order_id::text OR new.title::text IS DISTINCT FROM old.title::text OR new.metadata IS DISTINCT FROM old.metadata)
  EXECUTE FUNCTION tracking_search_change();
CREATE TRIGGER tracking_search_remove AFTER DELETE ON trackings FOR EACH ROW EXECUTE FUNCTION tracking_search_remove();

-- TABLE tracking_search
-- What lists and searches read of a parcel that its state does not change. The statement that stores a parcel writes
-- it, triggers change and delete it; the index of its text, order and metadata is `tracking_search_grams_idx`.
CREATE TABLE "tracking_search" (
  "account_id" VARCHAR(24) NOT NULL,
  "tracking_id" VARCHAR(24) NOT NULL,
  "carrier" VARCHAR(40) NOT NULL,
  "text" TEXT NOT NULL,
  "order_id" VARCHAR(100),
  "metadata" JSONB,
  CONSTRAINT "tracking_search_pkey" PRIMARY KEY (account_id, tracking_id)
);
CREATE INDEX tracking_search_account_id_carrier_tracking_id_idx ON tracking_search (account_id, carrier, tracking_id);
CREATE INDEX tracking_search_grams_idx ON tracking_search USING gin ((search_grams((account_id)::text, text) || search_refs((account_id)::text, (order_id)::text, metadata)));
ALTER INDEX "tracking_search_grams_idx" ALTER COLUMN 1 SET STATISTICS 0;
ALTER TABLE "tracking_search" ALTER COLUMN "account_id" SET (n_distinct=1);

-- TABLE checks
-- The schedule: a row exists only while its parcel is polled. A regular check waits for its slot (`CheckSlot`) and is
-- not written.
CREATE TABLE "checks" (
  "tracking_id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "provider" VARCHAR(40) NOT NULL,
  "carrier" VARCHAR(40) NOT NULL,
  "tracking_number" VARCHAR(50) NOT NULL,
  "hints" JSONB,
  "fingerprint" VARCHAR(40),
  "next_check_at" TIMESTAMPTZ(3) NOT NULL,
  "claimed_at" TIMESTAMPTZ(3),
  "final_look" BOOLEAN NOT NULL DEFAULT false,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "failure" VARCHAR(40),
  "failing_since" TIMESTAMPTZ(3),
  "pushed" BOOLEAN,
  "undecided" BOOLEAN NOT NULL DEFAULT false,
  "ring" SMALLINT,
  "slot" SMALLINT,
  "request_id" VARCHAR(64),
  "traceparent" VARCHAR(55),
  CONSTRAINT "checks_pkey" PRIMARY KEY (tracking_id)
) WITH (autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX checks_account_id_tracking_id_idx ON checks (account_id, tracking_id);
CREATE INDEX checks_expires_at_idx ON checks (expires_at);
CREATE INDEX checks_provider_next_check_at_idx ON checks (provider, next_check_at);
CREATE INDEX checks_slot_idx ON checks (provider, ring, slot, tracking_id) WHERE (slot IS NOT NULL);
CREATE INDEX checks_undecided_idx ON checks (provider, next_check_at) WHERE undecided;
CREATE INDEX checks_unknown_idx ON checks (provider, tracking_id) WHERE (fingerprint = 'not-found');
CREATE TRIGGER check_leaves_slot BEFORE UPDATE OF next_check_at ON checks
  FOR EACH ROW
  WHEN (old.next_check_at = '9999-12-31 00:00:00+00'::timestamp with time zone AND new.next_check_at < '9999-12-31 00:00:00+00'::timestamp with time zone AND new.provider::text = old.provider::text AND NOT new.slot IS DISTINCT FROM old.slot)
  EXECUTE FUNCTION check_leaves_slot();

-- TABLE attention_watches
-- An account for whose parcels attention causes events: a row exists while it has asked for them.
CREATE TABLE "attention_watches" (
  "account_id" VARCHAR(24) NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  "next_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "attention_watches_pkey" PRIMARY KEY (account_id)
);
CREATE INDEX attention_watches_next_at_idx ON attention_watches (next_at);

-- TABLE attention_marks
-- That a parcel needs attention, and that its event was stored. Deleted once it needs none.
CREATE TABLE "attention_marks" (
  "account_id" VARCHAR(24) NOT NULL,
  "tracking_id" VARCHAR(24) NOT NULL,
  "reason" VARCHAR(24) NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "attention_marks_pkey" PRIMARY KEY (account_id, tracking_id)
);

-- TABLE account_notices
-- Something about an account itself that its merchant should know. Stored with its cause, or found by a sweep; a partial
-- unique index keeps each single while it lasts.
CREATE TABLE "account_notices" (
  "id" VARCHAR(24) NOT NULL DEFAULT (lpad(to_hex(((EXTRACT(epoch FROM clock_timestamp()) * (1048576)::numeric))::bigint), 13, '0'::text) || "right"((gen_random_uuid())::text, 11)),
  "account_id" VARCHAR(24) NOT NULL,
  "kind" VARCHAR(24) NOT NULL,
  "subject" VARCHAR(40) NOT NULL,
  "occurrence" VARCHAR(40) NOT NULL DEFAULT '',
  "details" JSONB NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  "until" TIMESTAMPTZ(3),
  "sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "account_notices_pkey" PRIMARY KEY (id)
);
CREATE INDEX account_notices_account_id_id_idx ON account_notices (account_id, id DESC);
CREATE UNIQUE INDEX account_notices_once_key ON account_notices (account_id, kind, subject, occurrence) WHERE (until IS NULL);
-- What sweeps look for: a few rows of many.
CREATE INDEX account_notices_lasting_idx ON account_notices (kind, subject) WHERE (until IS NULL AND kind IN ('webhook_failing', 'webhook_disabled', 'provider_out'));
CREATE INDEX account_notices_unsent_idx ON account_notices (id) WHERE (sent_at IS NULL);

-- TABLE check_slots
-- The regular checks of a provider that are due at the same place of their interval are claimed together. A row exists
-- while there are such checks.
CREATE TABLE "check_slots" (
  "provider" VARCHAR(40) NOT NULL,
  "ring" SMALLINT NOT NULL,
  "slot" SMALLINT NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "claimed_at" TIMESTAMPTZ(3),
  "period_seconds" DOUBLE PRECISION NOT NULL,
  "floor_seconds" DOUBLE PRECISION NOT NULL,
  "size" INTEGER NOT NULL DEFAULT 0,
  "entered_at" TIMESTAMPTZ(3) NOT NULL,
  "after_id" VARCHAR(24),
  "part_at" TIMESTAMPTZ(3),
  "lease" VARCHAR(36),
  "leased_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  CONSTRAINT "check_slots_pkey" PRIMARY KEY (provider, ring, slot)
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.1);
CREATE INDEX check_slots_provider_due_at_idx ON check_slots (provider, due_at);

-- TABLE subscriptions
-- Callbacks bring the news of a number: one row for the whole installation, for all accounts that registered the
-- number.
CREATE TABLE "subscriptions" (
  "tracking_number" VARCHAR(50) NOT NULL,
  "provider" VARCHAR(40) NOT NULL,
  "carrier" VARCHAR(40) NOT NULL,
  "state" VARCHAR(12) NOT NULL,
  "remote_id" VARCHAR(200),
  "reason" TEXT,
  "moved_to" VARCHAR(40),
  "failures" INTEGER NOT NULL DEFAULT 0,
  "subscribed_at" TIMESTAMPTZ(3),
  "pushed_at" TIMESTAMPTZ(3),
  "awaited_since" TIMESTAMPTZ(3),
  "retry_at" TIMESTAMPTZ(3),
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "unwatched_since" TIMESTAMPTZ(3),
  "stopped_at" TIMESTAMPTZ(3),
  "restarts" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "subscriptions_pkey" PRIMARY KEY (tracking_number, provider, carrier)
);
CREATE INDEX subscriptions_awaited ON subscriptions (provider, awaited_since) WHERE (awaited_since IS NOT NULL);
CREATE INDEX subscriptions_unwatched ON subscriptions (provider, unwatched_since) WHERE (unwatched_since IS NOT NULL);
CREATE INDEX subscriptions_updated_at_idx ON subscriptions (updated_at);
-- What the sweep looks for: a few rows of many.
CREATE INDEX subscriptions_wanted ON subscriptions (provider, retry_at) WHERE (retry_at IS NOT NULL);

-- TABLE provider_pauses
-- A provider with an outage: its checks wait until `paused_until`, all together.
CREATE TABLE "provider_pauses" (
  "provider" VARCHAR(40) NOT NULL,
  "failures" INTEGER NOT NULL,
  "paused_until" TIMESTAMPTZ(3),
  "reason" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "counted_at" TIMESTAMPTZ(3),
  "parcels" TEXT[] DEFAULT ARRAY[]::text[],
  "failure" VARCHAR(40),
  "began_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "noticed" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "provider_pauses_pkey" PRIMARY KEY (provider)
);

-- TABLE provider_tokens
-- The access token of a provider's account, shared by all processes. It is encrypted with a key that the database does
-- not have.
CREATE TABLE "provider_tokens" (
  "provider" VARCHAR(40) NOT NULL,
  "credentials" VARCHAR(64) NOT NULL,
  "sealed" TEXT,
  "refresh_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  CONSTRAINT "provider_tokens_pkey" PRIMARY KEY (provider, credentials)
);

-- TABLE learned_prefixes
-- How often the first answer about a number with this prefix came from a carrier. Halved every 90 days.
CREATE TABLE "learned_prefixes" (
  "account_id" VARCHAR(24) NOT NULL DEFAULT '',
  "prefix" VARCHAR(16) NOT NULL,
  "carrier" VARCHAR(40) NOT NULL,
  "finds" DOUBLE PRECISION NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "learned_prefixes_pkey" PRIMARY KEY (account_id, prefix, carrier)
);

-- TABLE provider_usage
-- Calls made to a provider on a UTC day, kept only for providers that name a daily budget.
CREATE TABLE "provider_usage" (
  "provider" VARCHAR(40) NOT NULL,
  "day" DATE NOT NULL,
  "calls" INTEGER NOT NULL,
  CONSTRAINT "provider_usage_pkey" PRIMARY KEY (provider, day)
);

-- TABLE provider_pace
-- When the next call to a provider may start, over all processes.
CREATE TABLE "provider_pace" (
  "provider" VARCHAR(40) NOT NULL,
  "next_turn_at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "provider_pace_pkey" PRIMARY KEY (provider)
);

-- TABLE webhooks
-- A receiver's address and what it subscribed to. Secrets are encrypted at rest.
CREATE TABLE "webhooks" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "url" VARCHAR(2048) NOT NULL,
  "events" TEXT[],
  "enabled" BOOLEAN NOT NULL DEFAULT true,
  "secret_box" TEXT NOT NULL,
  "disabled_reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "supersede" BOOLEAN NOT NULL DEFAULT false,
  "failing_since" TIMESTAMPTZ(3),
  "last_failed_at" TIMESTAMPTZ(3),
  "not_before" TIMESTAMPTZ(3),
  "disabled_at" TIMESTAMPTZ(3),
  "retired_secret_boxes" TEXT[] NOT NULL DEFAULT '{}'::text[],
  "retired_secret_until" TIMESTAMP(3) WITH TIME ZONE[] NOT NULL DEFAULT '{}'::timestamp with time zone[],
  "drop_before" TIMESTAMPTZ(3),
  "headers_box" TEXT,
  "filter" JSONB,
  "format" VARCHAR(4) NOT NULL DEFAULT 'v1',
  CONSTRAINT "webhooks_pkey" PRIMARY KEY (id)
);
CREATE UNIQUE INDEX webhooks_account_id_url_key ON webhooks (account_id, url);
CREATE INDEX webhooks_attention_idx ON webhooks (account_id) WHERE ('tracking_attention'::text = ANY (events));
CREATE INDEX webhooks_drop_before_idx ON webhooks (id) WHERE (drop_before IS NOT NULL);
CREATE INDEX webhooks_enabled_account_id_idx ON webhooks (account_id) WHERE enabled;
CREATE INDEX webhooks_last_failed_at_idx ON webhooks (last_failed_at);

-- TABLE replays
-- A replay: messages of a time range that are sent to an endpoint again, page by page.
CREATE TABLE "replays" (
  "id" VARCHAR(24) NOT NULL,
  "webhook_id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  "until" TIMESTAMPTZ(3) NOT NULL,
  "events" TEXT[],
  "state" VARCHAR(12) NOT NULL DEFAULT 'running',
  "total" INTEGER,
  "replayed" INTEGER NOT NULL DEFAULT 0,
  "xact" BIGINT NOT NULL,
  "position" BIGINT NOT NULL,
  "end_xact" BIGINT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "finished_at" TIMESTAMPTZ(3),
  "filter" JSONB,
  "missed_from" TIMESTAMPTZ(3),
  CONSTRAINT "replays_pkey" PRIMARY KEY (id)
);
-- One replay at a time is under way for an endpoint.
CREATE UNIQUE INDEX replays_running_key ON replays (webhook_id) WHERE (state = 'running');
CREATE INDEX replays_webhook_id_created_at_idx ON replays (webhook_id, created_at DESC);

-- TABLE messages
-- An event's exact body, stored once: the same bytes are signed on every attempt. Partitioned by its id, which begins
-- with its period (decision 0042).
CREATE TABLE "messages" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "tracking_id" VARCHAR(24),
  "event" VARCHAR(32) NOT NULL,
  "seq" INTEGER,
  "body" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "xact" BIGINT NOT NULL DEFAULT GREATEST(((pg_current_xact_id())::text)::bigint, (((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint - 1)),
  "position" BIGSERIAL NOT NULL,
  "timeline" INTEGER NOT NULL DEFAULT feed_timeline(),
  "request_id" VARCHAR(64),
  "traceparent" VARCHAR(55),
  "expected" JSONB,
  "filtered_out" JSONB,
  "problem" VARCHAR(24),
  CONSTRAINT "messages_pkey" PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX messages_account_id_xact_position_idx ON messages (account_id, xact, "position");
CREATE INDEX messages_created_at_idx ON messages (created_at);
CREATE INDEX messages_position_idx ON messages ("position");
CREATE INDEX messages_tracking_id_seq_idx ON messages (tracking_id, seq) WHERE (tracking_id IS NOT NULL);
ALTER TABLE "messages" ALTER COLUMN "account_id" SET (n_distinct_inherited=1);
CREATE TRIGGER delete_deliveries AFTER DELETE ON messages
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT
  EXECUTE FUNCTION delete_deliveries();

-- TABLE audit_log
-- What operators did, and what keys and members changed. Append-only, by a trigger; entries outlive their account,
-- without names.
CREATE TABLE "audit_log" (
  "id" BIGSERIAL NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "actor" VARCHAR(120) NOT NULL,
  "action" VARCHAR(60) NOT NULL,
  "account_id" VARCHAR(24),
  "details" JSONB NOT NULL DEFAULT '{}'::jsonb,
  "names" JSONB,
  CONSTRAINT "audit_log_pkey" PRIMARY KEY (id)
);
CREATE INDEX audit_log_account_id_id_idx ON audit_log (account_id, id);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_log_refuse();
CREATE TRIGGER audit_log_names_only BEFORE UPDATE ON audit_log
  FOR EACH ROW
  EXECUTE FUNCTION audit_log_refuse();

-- TABLE feed_epochs
-- The servers whose transactions the feed's cursors count: a promotion begins the next epoch (decision 0007).
CREATE TABLE "feed_epochs" (
  "id" INTEGER NOT NULL DEFAULT (1 + (floor((random() * (2147483646)::double precision)))::integer),
  "system" TEXT NOT NULL DEFAULT feed_system(),
  "timeline" INTEGER NOT NULL DEFAULT feed_timeline(),
  "first_xact" BIGINT NOT NULL DEFAULT ((pg_snapshot_xmin(pg_current_snapshot()))::text)::bigint,
  "seq_floor" INTEGER NOT NULL DEFAULT 0,
  "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT "feed_epochs_pkey" PRIMARY KEY (id)
);
CREATE UNIQUE INDEX feed_epochs_system_timeline_key ON feed_epochs (system, timeline);

-- TABLE deliveries
-- The delivery of one message to one endpoint. `next_attempt_at` drives the retry schedule. Partitioned by the id of
-- its message, with which a trigger deletes it.
CREATE TABLE "deliveries" (
  "id" BIGSERIAL NOT NULL,
  "message_id" VARCHAR(24) NOT NULL,
  "webhook_id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "state" VARCHAR(12) NOT NULL DEFAULT 'owed',
  "attempts" SMALLINT NOT NULL DEFAULT 0,
  "next_attempt_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "fresh" BOOLEAN NOT NULL DEFAULT true,
  "round" SMALLINT NOT NULL DEFAULT 0,
  CONSTRAINT "deliveries_pkey" PRIMARY KEY (message_id, webhook_id)
) PARTITION BY RANGE (message_id);
CREATE INDEX deliveries_fresh_idx ON deliveries (webhook_id, id) WHERE ((state = 'owed') AND fresh);
CREATE INDEX deliveries_late_idx ON deliveries (webhook_id, next_attempt_at) WHERE ((state = 'owed') AND (NOT fresh));
ALTER TABLE "deliveries" ALTER COLUMN "webhook_id" SET (n_distinct_inherited=1);

-- TABLE delivery_attempts
-- One row per attempt, with everything that the delivery log shows. Partitioned by its id (decision 0042): 13
-- characters of the time in 2^-20 seconds, and 44 random bits.
CREATE TABLE "delivery_attempts" (
  "id" VARCHAR(24) NOT NULL DEFAULT (lpad(to_hex(((EXTRACT(epoch FROM clock_timestamp()) * (1048576)::numeric))::bigint), 13, '0'::text) || "right"((gen_random_uuid())::text, 11)),
  "delivery_id" BIGINT,
  "message_id" VARCHAR(24) NOT NULL,
  "webhook_id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "event" VARCHAR(32) NOT NULL,
  "attempt" SMALLINT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "status_code" SMALLINT NOT NULL,
  "error" TEXT,
  "duration_ms" INTEGER NOT NULL,
  "response_excerpt" TEXT,
  "next_attempt_at" TIMESTAMPTZ(3),
  "round" SMALLINT NOT NULL DEFAULT 0,
  "trace" JSONB,
  CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX delivery_attempts_account_id_webhook_id_event_id_idx ON delivery_attempts (account_id, webhook_id, event, id);
CREATE INDEX delivery_attempts_delivery_id_round_attempt_idx ON delivery_attempts (delivery_id, round, attempt);
-- What people look for most. Only failures pay for it.
CREATE INDEX delivery_attempts_failed_idx ON delivery_attempts (account_id, webhook_id, event, id)
  WHERE (error IS NOT NULL);
ALTER TABLE "delivery_attempts" ALTER COLUMN "webhook_id" SET (n_distinct_inherited=1);
ALTER TABLE "delivery_attempts" ALTER COLUMN "account_id" SET (n_distinct_inherited=1);

-- TABLE stream_leases
-- A running stream on any replica. The lease is renewed; those of a crashed replica expire.
CREATE TABLE "stream_leases" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "kind" VARCHAR(8) NOT NULL DEFAULT 'batch',
  CONSTRAINT "stream_leases_pkey" PRIMARY KEY (id)
);
CREATE INDEX stream_leases_account_id_idx ON stream_leases (account_id);

-- TABLE removed_trackings
-- A parcel that its merchant removed, with its check, for the 24 hours in which it can be restored.
CREATE TABLE "removed_trackings" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "removed_at" TIMESTAMPTZ(3) NOT NULL,
  "bulk_action_id" VARCHAR(24),
  "tracking" JSONB NOT NULL,
  "check" JSONB,
  CONSTRAINT "removed_trackings_pkey" PRIMARY KEY (id)
);
CREATE INDEX removed_trackings_account_id_bulk_action_id_idx ON removed_trackings (account_id, bulk_action_id);
CREATE INDEX removed_trackings_removed_at_idx ON removed_trackings (removed_at);

-- TABLE idempotency_keys
-- A POST with an Idempotency-Key: one row while it is running, and for 24 hours with its answer.
CREATE TABLE "idempotency_keys" (
  "account_id" VARCHAR(24) NOT NULL,
  "key" VARCHAR(255) NOT NULL,
  "request_hash" BYTEA NOT NULL,
  "holder" VARCHAR(24) NOT NULL,
  "leased_until" TIMESTAMPTZ(3) NOT NULL,
  "status" SMALLINT,
  "sealed_body" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at);

-- TABLE imports
-- A file of parcels that is registered in the background. Its record and its rejected rows are kept for 30 days.
CREATE TABLE "imports" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "state" VARCHAR(12) NOT NULL DEFAULT 'uploading',
  "dry_run" BOOLEAN NOT NULL,
  "file_name" VARCHAR(200),
  "format" VARCHAR(8) NOT NULL,
  "encoding" VARCHAR(16),
  "file_bytes" INTEGER NOT NULL DEFAULT 0,
  "wanted" JSONB NOT NULL,
  "columns" JSONB,
  "rows_total" INTEGER,
  "position" INTEGER NOT NULL DEFAULT 0,
  "read" INTEGER NOT NULL DEFAULT 0,
  "registered" INTEGER NOT NULL DEFAULT 0,
  "known" INTEGER NOT NULL DEFAULT 0,
  "updated" INTEGER NOT NULL DEFAULT 0,
  "rejected" INTEGER NOT NULL DEFAULT 0,
  "faults" JSONB NOT NULL DEFAULT '[]'::jsonb,
  "error" TEXT,
  "holder" VARCHAR(24),
  "leased_until" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "progress_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  "lost_runs" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "imports_pkey" PRIMARY KEY (id)
);
CREATE INDEX imports_account_id_created_at_idx ON imports (account_id, created_at DESC);
CREATE INDEX imports_finished_at_idx ON imports (finished_at);
-- Those that are uploaded, wait or run, which the sweeps look for.
CREATE INDEX imports_unfinished_idx ON imports (created_at) WHERE (state IN ('uploading', 'queued', 'running'));

-- TABLE import_chunks
-- A part of the file of an import, until that has ended.
CREATE TABLE "import_chunks" (
  "import_id" VARCHAR(24) NOT NULL,
  "seq" INTEGER NOT NULL,
  "bytes" BYTEA NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  CONSTRAINT "import_chunks_pkey" PRIMARY KEY (import_id, seq)
);
ALTER TABLE "import_chunks" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

-- TABLE import_rejects
-- Rejected rows of an import, as lines of CSV.
CREATE TABLE "import_rejects" (
  "import_id" VARCHAR(24) NOT NULL,
  "first_row" INTEGER NOT NULL,
  "csv" BYTEA NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  CONSTRAINT "import_rejects_pkey" PRIMARY KEY (import_id, first_row)
);

-- TABLE bulk_actions
-- Something that is done to everything that a filter matches, in the background.
CREATE TABLE "bulk_actions" (
  "id" VARCHAR(24) NOT NULL,
  "account_id" VARCHAR(24) NOT NULL,
  "action" VARCHAR(12) NOT NULL,
  "filter" JSONB NOT NULL,
  "state" VARCHAR(12) NOT NULL DEFAULT 'queued',
  "dry_run" BOOLEAN NOT NULL DEFAULT false,
  "as_of" TIMESTAMPTZ(3) NOT NULL,
  "matched" INTEGER NOT NULL,
  "is_lower_bound" BOOLEAN NOT NULL,
  "ceiling" VARCHAR(24),
  "place" JSONB,
  "done" INTEGER NOT NULL DEFAULT 0,
  "skipped" INTEGER NOT NULL DEFAULT 0,
  "failed" INTEGER NOT NULL DEFAULT 0,
  "reasons" JSONB NOT NULL DEFAULT '[]'::jsonb,
  "error" TEXT,
  "holder" VARCHAR(24),
  "leased_until" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  CONSTRAINT "bulk_actions_pkey" PRIMARY KEY (id)
);
CREATE INDEX bulk_actions_account_id_created_at_idx ON bulk_actions (account_id, created_at DESC);
CREATE INDEX bulk_actions_finished_at_idx ON bulk_actions (finished_at);
-- An account has one at a time. The sweeps look for these.
CREATE UNIQUE INDEX bulk_actions_unfinished_key ON bulk_actions (account_id) WHERE (state IN ('queued', 'running'));

-- TABLE endpoint_turns
-- An endpoint that a dispatcher works for. The lease is renewed; those of a killed process expire. Unlogged.
CREATE UNLOGGED TABLE "endpoint_turns" (
  "webhook_id" VARCHAR(24) NOT NULL,
  "holder" VARCHAR(36) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "is_wanted" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "endpoint_turns_pkey" PRIMARY KEY (webhook_id)
);

-- TABLE rate_limits
-- Request counts of the rate limiter, used without Redis.
CREATE TABLE "rate_limits" (
  "key" VARCHAR(255) NOT NULL,
  "points" INTEGER NOT NULL DEFAULT 0,
  "expire" BIGINT,
  CONSTRAINT "rate_limits_pkey" PRIMARY KEY (key)
);

-- TABLE lane_times
-- How long parcels of a lane took from their first movement to their delivery: a histogram, a row for each bucket of
-- hours.
CREATE TABLE "lane_times" (
  "carrier" VARCHAR(40) NOT NULL,
  "origin" VARCHAR(8) NOT NULL,
  "destination" VARCHAR(8) NOT NULL,
  "hours" SMALLINT NOT NULL,
  "weight" DOUBLE PRECISION NOT NULL,
  CONSTRAINT "lane_times_pkey" PRIMARY KEY (carrier, origin, destination, hours)
);

-- TABLE lane_progress
-- Up to which moment delivered parcels are in `lane_times`: a single row, enforced by a check constraint.
CREATE TABLE "lane_progress" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "learned_until" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "lane_progress_pkey" PRIMARY KEY (id),
  CONSTRAINT "lane_progress_single_row" CHECK ((id = 1))
);

-- TABLE stat_counts
-- What happened in an hour or on a day (UTC). Registrations are counted by the statement that charges them, events and
-- pushes in the background (decision 0035).
CREATE TABLE "stat_counts" (
  "account_id" VARCHAR(24) NOT NULL,
  "series" VARCHAR(10) NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "figure" VARCHAR(24) NOT NULL,
  "bucket" SMALLINT NOT NULL,
  "amount" INTEGER NOT NULL,
  CONSTRAINT "stat_counts_pkey" PRIMARY KEY (account_id, series, at, figure, bucket)
) WITH (fillfactor=70);

-- TABLE stat_transits
-- How long the parcels of an account took that were reported as delivered on a day or in a week (UTC, from Monday), by
-- carrier and lane. Both grains have all parcels: a long range reads few rows.
CREATE TABLE "stat_transits" (
  "account_id" VARCHAR(24) NOT NULL,
  "grain" VARCHAR(4) NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "carrier" VARCHAR(40) NOT NULL,
  "origin" VARCHAR(8) NOT NULL,
  "destination" VARCHAR(8) NOT NULL,
  "hours" SMALLINT NOT NULL,
  "parcels" INTEGER NOT NULL,
  "carrier_expected" INTEGER NOT NULL,
  "carrier_in_time" INTEGER NOT NULL,
  "history_expected" INTEGER NOT NULL,
  "history_in_time" INTEGER NOT NULL,
  CONSTRAINT "stat_transits_pkey" PRIMARY KEY (account_id, grain, at, carrier, origin, destination, hours)
);

-- TABLE stat_progress
-- Up to which message and attempt they are counted, and up to which they are counted next: a single row, enforced by a
-- check constraint.
CREATE TABLE "stat_progress" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "position" BIGINT NOT NULL DEFAULT 0,
  "attempt" VARCHAR(24) NOT NULL DEFAULT '',
  "next_position" BIGINT NOT NULL DEFAULT 0,
  "next_attempt" VARCHAR(24) NOT NULL DEFAULT '',
  "next_xact" BIGINT NOT NULL DEFAULT 0,
  "system" TEXT NOT NULL DEFAULT '',
  CONSTRAINT "stat_progress_pkey" PRIMARY KEY (id),
  CONSTRAINT "stat_progress_single_row" CHECK ((id = 1))
);

-- TABLE installation
-- Settings of the whole installation: a single row, enforced by a check constraint.
CREATE TABLE "installation" (
  "id" INTEGER NOT NULL DEFAULT 1,
  "key_check" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "token_keys" TEXT,
  CONSTRAINT "installation_pkey" PRIMARY KEY (id),
  CONSTRAINT "installation_is_one_row" CHECK ((id = 1))
);

-- REFERENCES
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_test_of_fkey" FOREIGN KEY (test_of)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "page_settings" ADD CONSTRAINT "page_settings_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_member_id_fkey" FOREIGN KEY (member_id)
  REFERENCES members(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "quota_usage" ADD CONSTRAINT "quota_usage_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "trackings" ADD CONSTRAINT "trackings_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "checks" ADD CONSTRAINT "checks_tracking_id_fkey" FOREIGN KEY (tracking_id)
  REFERENCES trackings(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "attention_watches" ADD CONSTRAINT "attention_watches_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "account_notices" ADD CONSTRAINT "account_notices_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "attention_marks" ADD CONSTRAINT "attention_marks_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES attention_watches(account_id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "replays" ADD CONSTRAINT "replays_webhook_id_fkey" FOREIGN KEY (webhook_id)
  REFERENCES webhooks(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "stream_leases" ADD CONSTRAINT "stream_leases_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "removed_trackings" ADD CONSTRAINT "removed_trackings_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "imports" ADD CONSTRAINT "imports_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "import_chunks" ADD CONSTRAINT "import_chunks_import_id_fkey" FOREIGN KEY (import_id)
  REFERENCES imports(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "import_rejects" ADD CONSTRAINT "import_rejects_import_id_fkey" FOREIGN KEY (import_id)
  REFERENCES imports(id)
  ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE "bulk_actions" ADD CONSTRAINT "bulk_actions_account_id_fkey" FOREIGN KEY (account_id)
  REFERENCES accounts(id)
  ON UPDATE CASCADE ON DELETE CASCADE;

-- FUNCTIONS OF ROWS

-- Whether a member of a slot sits out a turn at that time, because it was asked by itself shortly before.
CREATE FUNCTION check_sits_out(c checks, s check_slots, turn timestamp with time zone)
  RETURNS boolean
  LANGUAGE sql
  STABLE
AS $$
  SELECT COALESCE(c.claimed_at > turn - make_interval(secs => GREATEST(s.floor_seconds, s.period_seconds / 2)), false)
$$;

-- When a check was last claimed, by itself or with its slot. The slot is null for a check that waits for none.
CREATE FUNCTION check_claimed_at(c checks, s check_slots)
  RETURNS timestamp with time zone
  LANGUAGE sql
  STABLE
AS $$
  SELECT CASE WHEN c.next_check_at < '9999-12-31 00:00:00+00' OR public.check_sits_out(c, s,
      COALESCE(s.leased_at, CASE WHEN c.tracking_id <= s.after_id THEN s.part_at END, s.claimed_at)) THEN c.claimed_at
    ELSE COALESCE(s.leased_at, CASE WHEN c.tracking_id <= s.after_id THEN s.part_at END, s.claimed_at, c.claimed_at) END
$$;

-- When a check is due, by itself or with its slot. One that was asked by itself is due at the slot's first turn that it
-- does not sit out, which is not always the next one: its slot may be late.
CREATE FUNCTION check_due_at(c checks, s check_slots)
  RETURNS timestamp with time zone
  LANGUAGE sql
  STABLE
AS $$
  SELECT CASE WHEN c.next_check_at < '9999-12-31 00:00:00+00' THEN c.next_check_at
    ELSE COALESCE(s.due_at + make_interval(secs => s.period_seconds * GREATEST(
      CASE WHEN s.leased_at IS NOT NULL OR c.tracking_id <= s.after_id THEN 1 ELSE 0 END,
      ceil((extract(epoch FROM c.claimed_at - s.due_at)::float8 + GREATEST(s.floor_seconds, s.period_seconds / 2)) / s.period_seconds))),
      c.next_check_at) END
$$;

-- VIEW history_partitions
-- The partitions of messages, deliveries and attempts, with the periods at which they begin and end.
CREATE VIEW "history_partitions" AS
 SELECT c.relname AS name,
    (pg_relation_size((c.oid)::regclass) > 0) AS is_filled,
    history_period_of(b.low) AS begins,
    history_period_of(b.high) AS ends,
    t.relname AS "table"
   FROM ((((pg_inherits i
     JOIN pg_class c ON ((c.oid = i.inhrelid)))
     JOIN pg_class t ON ((t.oid = i.inhparent)))
     CROSS JOIN LATERAL ( SELECT pg_get_expr(c.relpartbound, c.oid) AS bounds) e)
     CROSS JOIN LATERAL ( SELECT "substring"(e.bounds, 'FROM \(''([-\w]+)''\)'::text) AS low,
            "substring"(e.bounds, 'TO \(''([-\w]+)''\)'::text) AS high) b)
  WHERE (t.oid = ANY (ARRAY[('messages'::regclass)::oid, ('deliveries'::regclass)::oid, ('delivery_attempts'::regclass)::oid]));

-- PARTITIONS
-- The first one has no beginning, the tail no end: every row has a place, whatever a clock says.
SELECT history_create('messages', 'floor', 'MINVALUE', history_bound(history_period(now()) + 16)),
  history_create('messages', 'tail', history_bound(history_period(now()) + 16), 'MAXVALUE');
SELECT history_create('deliveries', 'floor', 'MINVALUE', history_bound(history_period(now()) + 16)),
  history_create('deliveries', 'tail', history_bound(history_period(now()) + 16), 'MAXVALUE');
SELECT history_create('delivery_attempts', 'floor', 'MINVALUE', history_bound(history_period(now()) + 3)),
  history_create('delivery_attempts', 'tail', history_bound(history_period(now()) + 3), 'MAXVALUE');

-- ROWS
INSERT INTO feed_epochs DEFAULT VALUES;
INSERT INTO stat_progress DEFAULT VALUES;
