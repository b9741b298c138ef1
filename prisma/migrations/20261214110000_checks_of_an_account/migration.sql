-- online
CREATE INDEX CONCURRENTLY "checks_account_id_tracking_id_idx" ON "checks" ("account_id", "tracking_id");
