-- AlterTable
ALTER TABLE "trackings"
  ADD COLUMN "last_answer" JSONB,
  ADD COLUMN "asked_before" JSONB;

-- The feed of events reads messages in the order of their transactions: docs/decisions/0007-events-feed.md says why the
-- newest transaction that was over when a message was stored counts, where that is newer than the message's own.

-- What is there already was committed before all that follows: transaction 0, in the order of its events.
ALTER TABLE "messages" ADD COLUMN "xact" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "messages" ALTER COLUMN "xact" SET DEFAULT GREATEST(
  pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1);
ALTER TABLE "messages" ADD COLUMN "position" BIGINT;
UPDATE "messages" m SET "position" = o."position"
FROM (SELECT "id", row_number() OVER (ORDER BY "created_at", "tracking_id", "seq", "id") AS "position" FROM "messages") o
WHERE o."id" = m."id";
CREATE SEQUENCE "messages_position_seq" OWNED BY "messages"."position";
SELECT setval('messages_position_seq', COALESCE((SELECT max("position") FROM "messages"), 0) + 1, false);
ALTER TABLE "messages"
  ALTER COLUMN "position" SET DEFAULT nextval('messages_position_seq'),
  ALTER COLUMN "position" SET NOT NULL;

-- DropIndex
DROP INDEX "messages_account_id_created_at_idx";

-- CreateIndex
CREATE INDEX "messages_account_id_xact_position_idx" ON "messages"("account_id", "xact", "position");
