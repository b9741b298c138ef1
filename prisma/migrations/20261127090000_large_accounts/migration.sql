-- A plan that is kept for every account expects one of average size. With one large merchant among thousands of small ones, such a
-- plan may read all rows of the large one. As if there were one account, and one endpoint, the planner expects the share of the most
-- frequent value instead, which ANALYZE knows.
ALTER TABLE "trackings" ALTER COLUMN "account_id" SET (n_distinct = 1);
ALTER TABLE "messages" ALTER COLUMN "account_id" SET (n_distinct = 1);
ALTER TABLE "deliveries" ALTER COLUMN "webhook_id" SET (n_distinct = 1);
ALTER TABLE "delivery_attempts" ALTER COLUMN "account_id" SET (n_distinct = 1), ALTER COLUMN "webhook_id" SET (n_distinct = 1);

-- It takes effect with the next ANALYZE. An empty table is left out: once analyzed, it would be planned for as empty.
DO $$ BEGIN
  IF EXISTS (SELECT FROM "trackings") THEN ANALYZE "trackings"; END IF;
  IF EXISTS (SELECT FROM "messages") THEN ANALYZE "messages"; END IF;
  IF EXISTS (SELECT FROM "deliveries") THEN ANALYZE "deliveries"; END IF;
  IF EXISTS (SELECT FROM "delivery_attempts") THEN ANALYZE "delivery_attempts"; END IF;
END $$;
