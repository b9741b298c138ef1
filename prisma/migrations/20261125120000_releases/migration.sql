-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "unwatched_since" TIMESTAMPTZ(3);
ALTER TABLE "subscriptions" ADD COLUMN "stopped_at" TIMESTAMPTZ(3);
ALTER TABLE "subscriptions" ADD COLUMN "restarts" INTEGER NOT NULL DEFAULT 0;

-- CreateIndex
CREATE INDEX "subscriptions_unwatched" ON "subscriptions" ("provider", "unwatched_since") WHERE "unwatched_since" IS NOT NULL;
