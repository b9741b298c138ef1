-- Every secret that was replaced signs along for 24 hours, not only the last. Constant defaults: no table is rewritten.
ALTER TABLE "webhooks"
  ADD COLUMN "retired_secret_boxes" TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN "retired_secret_until" TIMESTAMPTZ(3)[] NOT NULL DEFAULT '{}';
