-- online: an index for the events of one tracking; pings have none.
CREATE INDEX CONCURRENTLY "messages_tracking_id_seq_idx" ON "messages"("tracking_id", "seq") WHERE "tracking_id" IS NOT NULL;
