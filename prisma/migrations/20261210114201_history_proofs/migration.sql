-- online: the tables may be large.
-- The key of a partitioned table contains what it is partitioned by, so the id becomes an ordinary index.
CREATE INDEX CONCURRENTLY "deliveries_id_idx" ON "deliveries"("id");
-- With these proofs, the next migration attaches the tables without reading them. Ids of messages begin with a period of 2^16 seconds,
-- in hex. Until that migration has run, a row beyond the bound is refused: it is sixteen periods (twelve days) ahead of every row.
DO $$ BEGIN
  EXECUTE format('ALTER TABLE public.messages ADD CONSTRAINT messages_before_partitions CHECK (id < %L) NOT VALID', to_hex(16 +
    GREATEST(public.history_period(now()), (SELECT ('x' || lpad(left(max(id), 4), 8, '0'))::bit(32)::int FROM public.messages))));
END $$;
ALTER TABLE "messages" VALIDATE CONSTRAINT "messages_before_partitions";
DO $$ BEGIN
  EXECUTE format('ALTER TABLE public.deliveries ADD CONSTRAINT deliveries_before_partitions CHECK (message_id < %L) NOT VALID', to_hex(16 +
    GREATEST(public.history_period(now()), (SELECT ('x' || lpad(left(max(message_id), 4), 8, '0'))::bit(32)::int FROM public.deliveries))));
END $$;
ALTER TABLE "deliveries" VALIDATE CONSTRAINT "deliveries_before_partitions";
