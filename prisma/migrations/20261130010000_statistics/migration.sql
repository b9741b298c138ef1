-- Figures of accounts. Every statement that changes what is counted adds rows here, by the triggers below: for each account and
-- figure one, so that no transaction waits for another. A sweep folds them into the tables that follow.
CREATE TABLE "stat_deltas" (
    "account_id" VARCHAR(24) NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "figure" VARCHAR(20) NOT NULL,
    "hour" TIMESTAMPTZ(3),
    "bucket" SMALLINT,
    "carrier" VARCHAR(40),
    "status" VARCHAR(8),
    "sub_status" VARCHAR(24),
    "message_id" VARCHAR(24),
    "expected" JSONB,
    "amount" INTEGER NOT NULL,

    CONSTRAINT "stat_deltas_pkey" PRIMARY KEY ("account_id", "id")
);

-- CreateTable
CREATE TABLE "stat_parcels" (
    "account_id" VARCHAR(24) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "status" VARCHAR(8) NOT NULL,
    "sub_status" VARCHAR(24) NOT NULL,
    "parcels" INTEGER NOT NULL,

    CONSTRAINT "stat_parcels_pkey" PRIMARY KEY ("account_id", "carrier", "status", "sub_status")
);

-- CreateTable
CREATE TABLE "stat_counts" (
    "account_id" VARCHAR(24) NOT NULL,
    "grain" VARCHAR(4) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "figure" VARCHAR(20) NOT NULL,
    "bucket" SMALLINT NOT NULL,
    "amount" INTEGER NOT NULL,

    CONSTRAINT "stat_counts_pkey" PRIMARY KEY ("account_id", "grain", "at", "figure", "bucket")
);

-- CreateTable
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

    CONSTRAINT "stat_transits_pkey" PRIMARY KEY ("account_id", "grain", "at", "carrier", "origin", "destination", "hours")
);

-- CreateTable
CREATE TABLE "stat_recounts" (
    "account_id" VARCHAR(24) NOT NULL,

    CONSTRAINT "stat_recounts_pkey" PRIMARY KEY ("account_id")
);

-- What Prisma's schema language does not express.

-- The current rows are updated every few seconds, and deltas live as long: clean up early, and leave room in the pages.
ALTER TABLE "stat_parcels" SET (fillfactor = 50);
ALTER TABLE "stat_counts" SET (fillfactor = 70);
ALTER TABLE "stat_deltas" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000);

-- The bucket of the time from a stored change to its accepted push: `2 ^ (bucket / 4)` ms at most.
CREATE FUNCTION "stat_lag_bucket"(lag INTERVAL) RETURNS SMALLINT LANGUAGE sql IMMUTABLE AS $$
  SELECT ceil(4 / ln(2::float8) * ln(GREATEST(1::float8, 1000 * extract(epoch FROM lag)::float8)))::smallint
$$;

-- Triggers, not statements of the service: they count what every process writes, that of releases before 0.3.0 included.
-- One row for each state that parcels entered (+) or left (-); of new parcels, also for each hour.
CREATE FUNCTION "stat_of_new_trackings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, carrier, status, sub_status, hour, bucket, amount)
  SELECT account_id, 'registered', carrier, status, sub_status, hour, 0, count(*)
  FROM (SELECT account_id, carrier, status, sub_status, date_bin('1 hour', created_at, 'epoch') AS hour FROM added) t
  GROUP BY account_id, carrier, status, sub_status, hour;
  RETURN NULL;
END
$$;
CREATE FUNCTION "stat_of_changed_trackings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, carrier, status, sub_status, amount)
  SELECT account_id, 'parcels', carrier, status, sub_status, sum(n) FROM (
    SELECT account_id, carrier, status, sub_status, -1 AS n FROM removed
    UNION ALL SELECT account_id, carrier, status, sub_status, 1 FROM added) c
  GROUP BY account_id, carrier, status, sub_status HAVING sum(n) <> 0;
  RETURN NULL;
END
$$;
CREATE FUNCTION "stat_of_deleted_trackings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, carrier, status, sub_status, amount)
  SELECT account_id, 'parcels', carrier, status, sub_status, -count(*) FROM removed GROUP BY account_id, carrier, status, sub_status;
  RETURN NULL;
END
$$;
-- Events by their kind. Each delivery has its own row, with the first estimate that the parcel had, for its transit time.
CREATE FUNCTION "stat_of_messages"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, message_id, amount, expected)
  SELECT account_id, event, hour, 0, message_id, count(*), CASE WHEN message_id IS NOT NULL THEN (
    SELECT annotations -> 'firstEstimate' FROM public.trackings WHERE id = min(tracking_id)) END
  FROM (SELECT account_id, event, date_bin('1 hour', created_at, 'epoch') AS hour, tracking_id,
    CASE WHEN event = 'tracking_delivered' THEN id END AS message_id FROM added) m
  GROUP BY account_id, event, hour, message_id;
  RETURN NULL;
END
$$;
-- Attempts: failed (bucket 0), or accepted: then with the bucket of the lag, -1 if the push was sent once more. Neither pings nor the
-- records of superseded updates.
CREATE FUNCTION "stat_of_attempts"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, amount)
  SELECT account_id, figure, hour, bucket, count(*) FROM (
    SELECT account_id, CASE WHEN error IS NULL THEN 'accepted' ELSE 'failed' END AS figure,
      date_bin('1 hour', started_at, 'epoch') AS hour,
      CASE WHEN error IS NOT NULL THEN 0 WHEN round > 0 THEN -1
        ELSE COALESCE(public.stat_lag_bucket(started_at + make_interval(secs => duration_ms / 1000::float8)
          - (SELECT created_at FROM public.deliveries WHERE id = delivery_id)), -1) END AS bucket
    FROM added WHERE delivery_id IS NOT NULL AND (error IS NULL OR error NOT LIKE 'superseded:%')) a
  GROUP BY account_id, figure, hour, bucket;
  RETURN NULL;
END
$$;
CREATE TRIGGER "stat_of_new_trackings" AFTER INSERT ON "trackings" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_new_trackings"();
CREATE TRIGGER "stat_of_changed_trackings" AFTER UPDATE ON "trackings" REFERENCING OLD TABLE AS removed NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_changed_trackings"();
CREATE TRIGGER "stat_of_deleted_trackings" AFTER DELETE ON "trackings" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_deleted_trackings"();
CREATE TRIGGER "stat_of_messages" AFTER INSERT ON "messages" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_messages"();
CREATE TRIGGER "stat_of_attempts" AFTER INSERT ON "delivery_attempts" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "stat_of_attempts"();

-- What was stored before this migration is counted by a sweep, account by account.
INSERT INTO "stat_recounts" ("account_id") SELECT "id" FROM "accounts";
