-- online: statistics of the partitioned tables; autovacuum analyzes only partitions. An empty table is left out: once analyzed, it
-- would be planned for as empty.
DO $$ BEGIN
  IF EXISTS (SELECT FROM "messages") THEN ANALYZE "messages"; END IF;
  IF EXISTS (SELECT FROM "deliveries") THEN ANALYZE "deliveries"; END IF;
  IF EXISTS (SELECT FROM "delivery_attempts") THEN ANALYZE "delivery_attempts"; END IF;
END $$;
