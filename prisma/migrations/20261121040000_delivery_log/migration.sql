-- DropIndex
DROP INDEX "delivery_attempts_account_id_id_idx";

-- CreateIndex
CREATE INDEX "delivery_attempts_account_id_webhook_id_event_id_idx" ON "delivery_attempts"("account_id", "webhook_id", "event", "id");

-- What Prisma's schema language does not express.

-- What people look for most. Only failures pay for it.
CREATE INDEX "delivery_attempts_failed_idx" ON "delivery_attempts"("account_id", "webhook_id", "event", "id") WHERE "error" IS NOT NULL;
