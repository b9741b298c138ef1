-- Messages and their deliveries are partitioned by time, as attempts are (decision 0042): by the id of the message, which begins with
-- its period.
LOCK TABLE "messages", "deliveries" IN ACCESS EXCLUSIVE MODE;

-- The lowest id of a message that was made at a time.
CREATE FUNCTION "message_id_at"(at TIMESTAMPTZ) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT lpad(to_hex(public.history_period(at)), 4, '0')
$$;
-- Where a period begins in the key of a table, as a literal; and the period of a key.
CREATE FUNCTION "history_bound"(parent TEXT, period INTEGER) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE parent WHEN 'delivery_attempts' THEN public.history_bound(period)::text ELSE quote_literal(lpad(to_hex(period), 4, '0')) END
$$;
CREATE FUNCTION "history_period_of"(parent TEXT, key TEXT) RETURNS INTEGER LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE parent WHEN 'delivery_attempts' THEN ((key::bigint >> 22) + 1767225600 >> 16)::int
    ELSE ('x' || lpad(left(key, 4), 8, '0'))::bit(32)::int END
$$;
-- The bound that the previous migration has proven.
CREATE FUNCTION "history_proven"(parent TEXT) RETURNS TEXT LANGUAGE sql STABLE AS $$
  SELECT substring(pg_get_constraintdef(oid) FROM '''(\w+)''') FROM pg_constraint WHERE conname = parent || '_before_partitions'
$$;

-- A partition is dropped at once, without a look at each row. Where single messages are deleted, a trigger deletes their deliveries.
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_message_id_fkey";

ALTER TABLE "messages" RENAME TO "messages_floor";
ALTER INDEX "messages_pkey" RENAME TO "messages_floor_pkey";
ALTER INDEX "messages_created_at_idx" RENAME TO "messages_floor_created_at_idx";
ALTER INDEX "messages_account_id_xact_position_idx" RENAME TO "messages_floor_account_id_xact_position_idx";
ALTER INDEX "messages_tracking_id_seq_idx" RENAME TO "messages_floor_tracking_id_seq_idx";

CREATE TABLE "messages" (
    LIKE "messages_floor" INCLUDING DEFAULTS INCLUDING STORAGE,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");
ALTER SEQUENCE "messages_position_seq" OWNED BY "messages"."position";
ALTER TABLE "messages" ALTER COLUMN "account_id" SET (n_distinct_inherited = 1);
CREATE INDEX "messages_created_at_idx" ON "messages"("created_at");
CREATE INDEX "messages_account_id_xact_position_idx" ON "messages"("account_id", "xact", "position");
CREATE INDEX "messages_tracking_id_seq_idx" ON "messages"("tracking_id", "seq") WHERE "tracking_id" IS NOT NULL;
ALTER TABLE "messages" ATTACH PARTITION "messages_floor" FOR VALUES FROM (MINVALUE) TO ("history_proven"('messages'));
DROP TRIGGER "stat_of_messages" ON "messages_floor";
CREATE TRIGGER "stat_of_messages" AFTER INSERT ON "messages" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_messages"();

ALTER TABLE "deliveries" RENAME TO "deliveries_floor";
-- Unused since 0.2.0 as a key: no statement names it in ON CONFLICT.
ALTER TABLE "deliveries_floor" DROP CONSTRAINT "deliveries_pkey";
ALTER TABLE "deliveries_floor" ADD CONSTRAINT "deliveries_floor_pkey" PRIMARY KEY USING INDEX "deliveries_message_id_webhook_id_key";
ALTER INDEX "deliveries_id_idx" RENAME TO "deliveries_floor_id_idx";
ALTER INDEX "deliveries_fresh_idx" RENAME TO "deliveries_floor_fresh_idx";
ALTER INDEX "deliveries_late_idx" RENAME TO "deliveries_floor_late_idx";

CREATE TABLE "deliveries" (
    LIKE "deliveries_floor" INCLUDING DEFAULTS INCLUDING STORAGE,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("message_id", "webhook_id")
) PARTITION BY RANGE ("message_id");
ALTER SEQUENCE "deliveries_id_seq" OWNED BY "deliveries"."id";
ALTER TABLE "deliveries" ALTER COLUMN "webhook_id" SET (n_distinct_inherited = 1);
-- Only the processes of 0.2.0 find deliveries by their id.
CREATE INDEX "deliveries_id_idx" ON "deliveries"("id");
CREATE INDEX "deliveries_fresh_idx" ON "deliveries"("webhook_id", "id") WHERE "state" = 'owed' AND "fresh";
CREATE INDEX "deliveries_late_idx" ON "deliveries"("webhook_id", "next_attempt_at") WHERE "state" = 'owed' AND NOT "fresh";
ALTER TABLE "deliveries" ATTACH PARTITION "deliveries_floor" FOR VALUES FROM (MINVALUE) TO ("history_proven"('deliveries'));

-- As the foreign key did.
CREATE FUNCTION "delete_deliveries"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
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
CREATE TRIGGER "delete_deliveries" AFTER DELETE ON "messages" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "delete_deliveries"();

-- As before, with the delivery found by its key.
CREATE OR REPLACE FUNCTION "stat_of_attempts"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, webhook_id, amount)
  SELECT account_id, figure, hour, bucket, webhook_id, count(*) FROM (
    SELECT account_id, webhook_id, CASE WHEN error IS NULL THEN 'accepted' ELSE 'failed' END AS figure,
      date_bin('1 hour', started_at, 'epoch') AS hour,
      CASE WHEN error IS NOT NULL THEN 0 WHEN round > 0 THEN -1
        ELSE COALESCE(public.stat_lag_bucket(started_at + make_interval(secs => duration_ms / 1000::float8)
          - (SELECT created_at FROM public.deliveries d WHERE d.message_id = added.message_id AND d.webhook_id = added.webhook_id)), -1) END AS bucket
    FROM added WHERE delivery_id IS NOT NULL AND (error IS NULL OR error NOT LIKE 'superseded:%')) a
  GROUP BY account_id, figure, hour, bucket, webhook_id;
  RETURN NULL;
END
$$;

-- Creates a partition, with the settings that a partition does not inherit (decision 0011).
CREATE FUNCTION "history_create"(parent TEXT, part TEXT, low TEXT, high TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
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
SELECT "history_create"(t, 'tail', quote_literal("history_proven"(t)), 'MAXVALUE') FROM unnest('{messages,deliveries}'::text[]) t;
ALTER TABLE "messages_floor" DROP CONSTRAINT "messages_before_partitions";
ALTER TABLE "deliveries_floor" DROP CONSTRAINT "deliveries_before_partitions";
DROP FUNCTION "history_proven"(TEXT);

-- The partitions of all three tables.
CREATE OR REPLACE VIEW "history_partitions" AS
SELECT c.relname AS "name", pg_catalog.pg_relation_size(c.oid) > 0 AS "is_filled",
  public.history_period_of(t.relname, b.low) AS "begins", public.history_period_of(t.relname, b.high) AS "ends", t.relname AS "table"
FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_class t ON t.oid = i.inhparent
CROSS JOIN LATERAL (SELECT pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS bounds) e
CROSS JOIN LATERAL (SELECT substring(e.bounds FROM $r$FROM \('([-\w]+)'\)$r$) AS low, substring(e.bounds FROM $r$TO \('([-\w]+)'\)$r$) AS high) b
WHERE t.oid IN ('public.messages'::pg_catalog.regclass, 'public.deliveries'::pg_catalog.regclass, 'public.delivery_attempts'::pg_catalog.regclass);

-- The last bound of a table up to a period below which nothing is pending. The subqueries without a LIMIT keep the planner from
-- looking for the lowest id in the key, through all that is not pending.
CREATE FUNCTION "history_edge"(parent TEXT, period INTEGER) RETURNS INTEGER LANGUAGE sql
  SET search_path = pg_catalog SET enable_seqscan = off SET jit = off AS $$
  SELECT max(ends) FROM public.history_partitions WHERE "table" = parent AND ends <= LEAST(period, CASE WHEN parent <> 'delivery_attempts' THEN (
    SELECT public.history_period_of('deliveries', min(message_id)) FROM (
      (SELECT message_id FROM public.deliveries WHERE state = 'owed' AND fresh AND message_id < lpad(to_hex(period), 4, '0') OFFSET 0)
      UNION ALL
      (SELECT message_id FROM public.deliveries WHERE state = 'owed' AND NOT fresh AND message_id < lpad(to_hex(period), 4, '0') OFFSET 0)) p) END)
$$;

-- Drops what ended more than `retention_days` (four at least) before `at`, except messages and deliveries from which something is
-- still pending, and keeps three periods (two days) ahead of it, in one transaction. Nothing happens because one clock is fast, the
-- server's or the caller's. For the service's role, which may neither create nor drop tables. Returns how many partitions were created
-- and dropped; null if another process is at it, or if others use the table for long: whoever wants it waits behind this function.
-- Whoever makes a delivery pending has its message locked, so with the messages locked nothing old can become pending: they are to be
-- rotated first.
CREATE FUNCTION "history_rotate"(parent TEXT, retention_days INTEGER, at TIMESTAMPTZ) RETURNS INTEGER LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '200ms' AS $$
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
      PERFORM public.history_create(parent, 'floor', 'MINVALUE', public.history_bound(parent, edge));
    END IF;
  END IF;
  WHILE tail < today + 3 LOOP
    EXECUTE format('LOCK TABLE ONLY public.%I IN ACCESS EXCLUSIVE MODE', parent);
    -- Not narrower than the time in which nothing rotated.
    until := GREATEST(tail + width, today + 1);
    part := 'p' || tail;
    IF pg_relation_size(format('public.%I', tail_table)::regclass) = 0 THEN
      EXECUTE format('DROP TABLE public.%I', tail_table);
      PERFORM public.history_create(parent, part, public.history_bound(parent, tail), public.history_bound(parent, until));
    ELSE
      EXECUTE format('ALTER TABLE public.%I DETACH PARTITION public.%I', parent, tail_table);
      EXECUTE format('SELECT max(%I)::text FROM public.%I', key, tail_table) INTO highest;
      until := GREATEST(until, public.history_period_of(parent, highest) + 1);
      EXECUTE format('ALTER TABLE public.%I RENAME TO %I', tail_table, parent || '_' || part);
      EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%s) TO (%s)',
        parent, parent || '_' || part, public.history_bound(parent, tail), public.history_bound(parent, until));
    END IF;
    PERFORM public.history_create(parent, 'tail', public.history_bound(parent, until), 'MAXVALUE');
    tail := until;
    changed := changed + 1;
  END LOOP;
  RETURN changed;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END
$$;

-- Notes how far the feed of each account is removed with the messages below a bound: in one order of locks, as whoever deletes single
-- messages does.
CREATE FUNCTION "history_note_pruned"(edge INTEGER) RETURNS VOID LANGUAGE sql
  SET search_path = pg_catalog SET enable_seqscan = off SET enable_sort = off SET jit = off AS $$
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
CREATE FUNCTION "history_analyze"(parent TEXT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF EXISTS (SELECT FROM public.history_partitions WHERE "table" = parent) THEN
    EXECUTE format('ANALYZE public.%I', parent);
  END IF;
END
$$;

-- Those for one table.
DROP FUNCTION "history_rotate"(INTEGER, TIMESTAMPTZ);
DROP FUNCTION "history_analyze"();
DROP FUNCTION "history_create"(TEXT, TEXT, TEXT);
