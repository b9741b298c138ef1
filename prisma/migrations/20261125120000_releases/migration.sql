-- AlterTable
ALTER TABLE "subscriptions" ADD COLUMN "unwatched_since" TIMESTAMPTZ(3);
ALTER TABLE "subscriptions" ADD COLUMN "stopped_at" TIMESTAMPTZ(3);
ALTER TABLE "subscriptions" ADD COLUMN "restarts" INTEGER NOT NULL DEFAULT 0;
