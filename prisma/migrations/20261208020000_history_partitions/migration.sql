-- Attempts are partitioned by time (decision 0042). Ids carry the time: seconds since 2026, times 2^22, and the number of a sequence.
-- Ids below 2^40 are those of before.
CREATE FUNCTION "attempt_id_at"(at TIMESTAMPTZ) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT (floor(extract(epoch FROM at))::bigint - 1767225600) << 22
$$;
-- Partitions begin and end with periods of 2^16 seconds.
CREATE FUNCTION "history_period"(at TIMESTAMPTZ) RETURNS INTEGER LANGUAGE sql IMMUTABLE AS $$
  SELECT (floor(extract(epoch FROM at))::bigint >> 16)::int
$$;
CREATE FUNCTION "history_bound"(period INTEGER) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT public.attempt_id_at(to_timestamp(period::bigint << 16))
$$;

-- The table that there is becomes the first partition, the floor: it is not copied, and, with the proof, not read.
ALTER TABLE "delivery_attempts" RENAME TO "delivery_attempts_floor";
ALTER INDEX "delivery_attempts_pkey" RENAME TO "delivery_attempts_floor_pkey";
ALTER INDEX "delivery_attempts_delivery_id_round_attempt_idx" RENAME TO "delivery_attempts_floor_delivery_id_round_attempt_idx";
ALTER INDEX "delivery_attempts_account_id_webhook_id_event_id_idx" RENAME TO "delivery_attempts_floor_account_id_webhook_id_event_id_idx";
ALTER INDEX "delivery_attempts_failed_idx" RENAME TO "delivery_attempts_floor_failed_idx";
-- Unused since 0.2.0. No statement names it, and an attempt is recorded once because its delivery moves once.
DROP INDEX "delivery_attempts_delivery_id_round_attempt_key";

CREATE TABLE "delivery_attempts" (
    LIKE "delivery_attempts_floor" INCLUDING DEFAULTS INCLUDING STORAGE,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id")
) PARTITION BY RANGE ("id");
ALTER SEQUENCE "delivery_attempts_id_seq" OWNED BY "delivery_attempts"."id";
ALTER TABLE "delivery_attempts" ALTER COLUMN "id"
  SET DEFAULT "attempt_id_at"(clock_timestamp()) + (nextval('delivery_attempts_id_seq') & 4194303);
ALTER TABLE "delivery_attempts" ALTER COLUMN "account_id" SET (n_distinct_inherited = 1),
  ALTER COLUMN "webhook_id" SET (n_distinct_inherited = 1);
CREATE INDEX "delivery_attempts_delivery_id_round_attempt_idx" ON "delivery_attempts"("delivery_id", "round", "attempt");
CREATE INDEX "delivery_attempts_account_id_webhook_id_event_id_idx" ON "delivery_attempts"("account_id", "webhook_id", "event", "id");
CREATE INDEX "delivery_attempts_failed_idx" ON "delivery_attempts"("account_id", "webhook_id", "event", "id") WHERE "error" IS NOT NULL;
ALTER TABLE "delivery_attempts" ATTACH PARTITION "delivery_attempts_floor"
  FOR VALUES FROM (MINVALUE) TO ("history_bound"("history_period"(now()) + 3));
ALTER TABLE "delivery_attempts_floor" DROP CONSTRAINT "delivery_attempts_before_times";
DROP TRIGGER "stat_of_attempts" ON "delivery_attempts_floor";
CREATE TRIGGER "stat_of_attempts" AFTER INSERT ON "delivery_attempts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_attempts"();

-- Creates a partition, with the settings that a partition does not inherit (decision 0011).
CREATE FUNCTION "history_create"(part TEXT, low TEXT, high TEXT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE public.%I PARTITION OF public.delivery_attempts FOR VALUES FROM (%s) TO (%s)', part, low, high);
  EXECUTE format('ALTER TABLE public.%I ALTER COLUMN account_id SET (n_distinct = 1), ALTER COLUMN webhook_id SET (n_distinct = 1)', part);
END
$$;
SELECT "history_create"('delivery_attempts_tail', "history_bound"("history_period"(now()) + 3)::text, 'MAXVALUE');

-- The partitions, with the periods at which they begin and end. The floor has no beginning, the tail no end: every row has a place,
-- whatever a clock says.
CREATE VIEW "history_partitions" AS
SELECT c.relname AS "name", pg_catalog.pg_relation_size(c.oid) > 0 AS "is_filled",
  ((b.low::bigint >> 22) + 1767225600 >> 16)::int AS "begins", ((b.high::bigint >> 22) + 1767225600 >> 16)::int AS "ends"
FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
CROSS JOIN LATERAL (SELECT pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS bounds) e
CROSS JOIN LATERAL (SELECT substring(e.bounds FROM $r$FROM \('(-?\d+)'\)$r$) AS low, substring(e.bounds FROM $r$TO \('(-?\d+)'\)$r$) AS high) b
WHERE i.inhparent = 'public.delivery_attempts'::pg_catalog.regclass;

-- Drops what ended more than `retention_days` (four at least) before `at`, and keeps three periods (two days) ahead of it, in one
-- transaction. Nothing happens because one clock is fast, the server's or the caller's. For the service's role, which may neither create
-- nor drop tables. Returns how many partitions were created and dropped; null if another process is at it, or if others use the table
-- for long: whoever wants it waits behind this function.
CREATE FUNCTION "history_rotate"(retention_days INTEGER, at TIMESTAMPTZ) RETURNS INTEGER LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '200ms' AS $$
DECLARE
  days INTEGER := GREATEST(retention_days, 4);
  width INTEGER := LEAST(GREATEST(days::bigint * 86400 / 4 / 65536, 1), 120);
  moment TIMESTAMPTZ := LEAST(at, now());
  today INTEGER := public.history_period(moment);
  -- The last bound below which everything is expired.
  edge INTEGER;
  tail INTEGER;
  until INTEGER;
  expired NAME[];
  part NAME;
  changed INTEGER := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(7351002) THEN RETURN NULL; END IF;
  SELECT max(ends) FILTER (WHERE ends <= public.history_period(moment - make_interval(days => days))), max(begins)
  INTO edge, tail FROM public.history_partitions;
  -- An empty floor alone is not worth the locks.
  IF EXISTS (SELECT FROM public.history_partitions WHERE ends <= edge AND (begins IS NOT NULL OR is_filled)) THEN
    LOCK TABLE ONLY public.delivery_attempts IN ACCESS EXCLUSIVE MODE;
    expired := ARRAY(SELECT name FROM public.history_partitions WHERE ends <= edge);
    FOREACH part IN ARRAY expired LOOP
      EXECUTE format('DROP TABLE public.%I', part);
    END LOOP;
    changed := cardinality(expired);
    PERFORM public.history_create('delivery_attempts_floor', 'MINVALUE', public.history_bound(edge)::text);
  END IF;
  WHILE tail < today + 3 LOOP
    LOCK TABLE ONLY public.delivery_attempts IN ACCESS EXCLUSIVE MODE;
    -- Not narrower than the time in which nothing rotated.
    until := GREATEST(tail + width, today + 1);
    part := 'delivery_attempts_p' || tail;
    IF pg_relation_size('public.delivery_attempts_tail') = 0 THEN
      DROP TABLE public.delivery_attempts_tail;
      PERFORM public.history_create(part, public.history_bound(tail)::text, public.history_bound(until)::text);
    ELSE
      ALTER TABLE public.delivery_attempts DETACH PARTITION public.delivery_attempts_tail;
      until := GREATEST(until, (SELECT (max(id) >> 22) + 1767225600 >> 16 FROM public.delivery_attempts_tail) + 1);
      EXECUTE format('ALTER TABLE public.delivery_attempts_tail RENAME TO %I', part);
      EXECUTE format('ALTER TABLE public.delivery_attempts ATTACH PARTITION public.%I FOR VALUES FROM (%s) TO (%s)',
        part, public.history_bound(tail), public.history_bound(until));
    END IF;
    PERFORM public.history_create('delivery_attempts_tail', public.history_bound(until)::text, 'MAXVALUE');
    tail := until;
    changed := changed + 1;
  END LOOP;
  RETURN changed;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END
$$;

-- Partitioned tables are never analyzed automatically. A call of its own: the statement that rotates holds locks.
CREATE FUNCTION "history_analyze"() RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  ANALYZE public.delivery_attempts;
END
$$;
