-- AlterTable
ALTER TABLE "webhooks"
  ADD COLUMN "supersede" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "failing_since" TIMESTAMPTZ(3),
  ADD COLUMN "last_failed_at" TIMESTAMPTZ(3),
  ADD COLUMN "not_before" TIMESTAMPTZ(3),
  ADD COLUMN "disabled_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "deliveries"
  DROP COLUMN "wake_at",
  ADD COLUMN "fresh" BOOLEAN NOT NULL DEFAULT true,
  ADD COLUMN "round" SMALLINT NOT NULL DEFAULT 0;
UPDATE "deliveries" SET "fresh" = false WHERE "attempts" > 0;

-- AlterTable
ALTER TABLE "delivery_attempts"
  ADD COLUMN "round" SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN "trace" JSONB;

-- DropIndex
DROP INDEX "delivery_attempts_delivery_id_attempt_key";
DROP INDEX "delivery_attempts_started_at_idx";

-- CreateIndex
CREATE UNIQUE INDEX "delivery_attempts_delivery_id_round_attempt_key" ON "delivery_attempts"("delivery_id", "round", "attempt");

-- What Prisma's schema language does not express.

-- What is owed to an endpoint: its first attempts in the order of their events, and apart from them all that comes late.
DROP INDEX "deliveries_owed_webhook_id_idx";
CREATE INDEX "deliveries_fresh_idx" ON "deliveries"("webhook_id", "id") WHERE "state" = 'owed' AND "fresh";
CREATE INDEX "deliveries_late_idx" ON "deliveries"("webhook_id", "next_attempt_at") WHERE "state" = 'owed' AND NOT "fresh";
