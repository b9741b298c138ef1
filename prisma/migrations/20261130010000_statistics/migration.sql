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
    "day" TIMESTAMPTZ(3) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "origin" VARCHAR(8) NOT NULL,
    "destination" VARCHAR(8) NOT NULL,
    "hours" SMALLINT NOT NULL,
    "parcels" INTEGER NOT NULL,
    "carrier_expected" INTEGER NOT NULL,
    "carrier_in_time" INTEGER NOT NULL,
    "history_expected" INTEGER NOT NULL,
    "history_in_time" INTEGER NOT NULL,

    CONSTRAINT "stat_transits_pkey" PRIMARY KEY ("account_id", "day", "carrier", "origin", "destination", "hours")
);

-- CreateTable
CREATE TABLE "stat_recounts" (
    "account_id" VARCHAR(24) NOT NULL,

    CONSTRAINT "stat_recounts_pkey" PRIMARY KEY ("account_id")
);

-- CreateIndex
CREATE INDEX "stat_counts_grain_at_idx" ON "stat_counts"("grain", "at");

-- CreateIndex
CREATE INDEX "stat_transits_day_idx" ON "stat_transits"("day");

-- What Prisma's schema language does not express.

-- The current rows are updated every few seconds, and deltas live as long: clean up early, and leave room in the pages.
ALTER TABLE "stat_parcels" SET (fillfactor = 50);
ALTER TABLE "stat_counts" SET (fillfactor = 70);
ALTER TABLE "stat_deltas" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000);
-- As in `trackings`: with one large account among many small ones, plans are made for the large one.
ALTER TABLE "stat_deltas" ALTER COLUMN "account_id" SET (n_distinct = 1);
ALTER TABLE "stat_counts" ALTER COLUMN "account_id" SET (n_distinct = 1);
ALTER TABLE "stat_transits" ALTER COLUMN "account_id" SET (n_distinct = 1);

-- In which bucket an attempt counts. An accepted push: its time from the stored change was `2 ^ (bucket / 4)` ms at most; -1 if the
-- push was sent once more. A failed attempt: 0. Null: it does not count, as pings and the records of superseded updates.
CREATE FUNCTION "stat_attempt_bucket"(delivery BIGINT, round SMALLINT, started_at TIMESTAMPTZ, duration_ms INTEGER, error TEXT)
RETURNS SMALLINT LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF delivery IS NULL OR error LIKE 'superseded:%' THEN RETURN NULL; END IF;
  IF error IS NOT NULL THEN RETURN 0; END IF;
  IF round > 0 THEN RETURN -1; END IF;
  RETURN COALESCE(ceil(4 * ln(GREATEST(1, duration_ms + 1000 * extract(epoch FROM started_at
    - (SELECT created_at FROM public.deliveries WHERE id = delivery))::float8)) / ln(2::float8)), -1);
END
$$;

-- Triggers, not statements of the service: they count what every process writes, that of releases before 0.3.0 included.
-- One row for each state that parcels entered (+) or left (-), and for each hour in which they were registered.
CREATE FUNCTION "stat_of_new_trackings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, carrier, status, sub_status, hour, bucket, amount)
  SELECT account_id, 'parcels', carrier, status, sub_status, NULL, NULL, count(*) FROM added GROUP BY 1, 3, 4, 5
  UNION ALL
  SELECT account_id, 'registered', NULL, NULL, NULL, date_trunc('hour', created_at, 'UTC'), 0, count(*) FROM added GROUP BY 1, 6;
  RETURN NULL;
END
$$;
CREATE FUNCTION "stat_of_changed_trackings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, carrier, status, sub_status, amount)
  SELECT account_id, 'parcels', carrier, status, sub_status, sum(n) FROM (
    SELECT account_id, carrier, status, sub_status, -1 AS n FROM removed
    UNION ALL SELECT account_id, carrier, status, sub_status, 1 FROM added) c
  GROUP BY 1, 3, 4, 5 HAVING sum(n) <> 0;
  RETURN NULL;
END
$$;
CREATE FUNCTION "stat_of_deleted_trackings"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, carrier, status, sub_status, amount)
  SELECT account_id, 'parcels', carrier, status, sub_status, -count(*) FROM removed GROUP BY 1, 3, 4, 5;
  RETURN NULL;
END
$$;
-- Events by their kind, and each delivery for its transit time, with the delivery's first estimate.
CREATE FUNCTION "stat_of_messages"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, amount, message_id, expected)
  SELECT account_id, event, date_trunc('hour', created_at, 'UTC'), 0, count(*), NULL, NULL FROM added GROUP BY 1, 2, 3
  UNION ALL
  SELECT account_id, 'transit', date_trunc('hour', created_at, 'UTC'), NULL, 1, id,
    (SELECT annotations -> 'firstEstimate' FROM public.trackings WHERE id = added.tracking_id)
  FROM added WHERE event = 'tracking_delivered';
  RETURN NULL;
END
$$;
CREATE FUNCTION "stat_of_attempts"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, amount)
  SELECT account_id, figure, date_trunc('hour', started_at, 'UTC'), bucket, count(*) FROM (
    SELECT account_id, started_at, CASE WHEN error IS NULL THEN 'accepted' ELSE 'failed' END AS figure,
      public.stat_attempt_bucket(delivery_id, round, started_at, duration_ms, error) AS bucket
    FROM added) a
  WHERE bucket IS NOT NULL GROUP BY 1, 2, 3, 4;
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
