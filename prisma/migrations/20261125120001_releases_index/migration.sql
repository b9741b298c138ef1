-- online: numbers that nobody watches, a few of many.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "subscriptions_unwatched" ON "subscriptions"("provider", "unwatched_since")
  WHERE "unwatched_since" IS NOT NULL;
