-- Attempts by endpoint and hour (UTC), counted like the other figures of an account: by a trigger, and folded later.
ALTER TABLE "stat_deltas" ADD COLUMN "webhook_id" VARCHAR(24);

-- CreateTable
CREATE TABLE "stat_endpoints" (
    "account_id" VARCHAR(24) NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "webhook_id" VARCHAR(24) NOT NULL,
    "accepted" INTEGER NOT NULL,
    "failed" INTEGER NOT NULL,

    CONSTRAINT "stat_endpoints_pkey" PRIMARY KEY ("account_id", "at", "webhook_id")
);

-- What Prisma's schema language does not express.

-- The row of the current hour is updated every few seconds.
ALTER TABLE "stat_endpoints" SET (fillfactor = 70);

-- As before, and by endpoint.
CREATE OR REPLACE FUNCTION "stat_of_attempts"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.stat_deltas (account_id, figure, hour, bucket, webhook_id, amount)
  SELECT account_id, figure, hour, bucket, webhook_id, count(*) FROM (
    SELECT account_id, webhook_id, CASE WHEN error IS NULL THEN 'accepted' ELSE 'failed' END AS figure,
      date_bin('1 hour', started_at, 'epoch') AS hour,
      CASE WHEN error IS NOT NULL THEN 0 WHEN round > 0 THEN -1
        ELSE COALESCE(public.stat_lag_bucket(started_at + make_interval(secs => duration_ms / 1000::float8)
          - (SELECT created_at FROM public.deliveries WHERE id = delivery_id)), -1) END AS bucket
    FROM added WHERE delivery_id IS NOT NULL AND (error IS NULL OR error NOT LIKE 'superseded:%')) a
  GROUP BY account_id, figure, hour, bucket, webhook_id;
  RETURN NULL;
END
$$;
