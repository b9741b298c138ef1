-- online: a push names a number, not an account.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "trackings_tracking_number_carrier_idx" ON "trackings"("tracking_number", "carrier");
