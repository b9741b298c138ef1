-- Pushes of a provider: one subscription for each number, whoever has registered it.
CREATE TABLE "subscriptions" (
    "tracking_number" VARCHAR(50) NOT NULL,
    "provider" VARCHAR(40) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "state" VARCHAR(12) NOT NULL,
    "remote_id" VARCHAR(200),
    "reason" TEXT,
    "moved_to" VARCHAR(40),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "subscribed_at" TIMESTAMPTZ(3),
    "pushed_at" TIMESTAMPTZ(3),
    "awaited_since" TIMESTAMPTZ(3),
    "retry_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "subscriptions_pkey" PRIMARY KEY ("tracking_number", "provider", "carrier")
);
CREATE INDEX "subscriptions_updated_at_idx" ON "subscriptions" ("updated_at");
-- What the sweep looks for: a few rows of many.
CREATE INDEX "subscriptions_wanted" ON "subscriptions" ("provider", "retry_at") WHERE "retry_at" IS NOT NULL;
CREATE INDEX "subscriptions_awaited" ON "subscriptions" ("provider", "awaited_since") WHERE "awaited_since" IS NOT NULL;

-- Null: no subscription was considered. Nullable and without a default: no row is rewritten.
ALTER TABLE "checks" ADD COLUMN "pushed" BOOLEAN;
