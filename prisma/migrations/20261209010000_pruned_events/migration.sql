-- The account's last event that was removed after its retention: a cursor from before it may have missed events.
ALTER TABLE "accounts" ADD COLUMN "pruned_xact" BIGINT, ADD COLUMN "pruned_position" BIGINT;
