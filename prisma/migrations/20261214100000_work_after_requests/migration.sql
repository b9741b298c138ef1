ALTER TABLE "accounts" ADD COLUMN "monitor_after" VARCHAR(24);
CREATE INDEX "accounts_monitor_after_idx" ON "accounts" ("id") WHERE "monitor_after" IS NOT NULL;

ALTER TABLE "webhooks" ADD COLUMN "drop_before" TIMESTAMPTZ(3);
CREATE INDEX "webhooks_drop_before_idx" ON "webhooks" ("id") WHERE "drop_before" IS NOT NULL;
