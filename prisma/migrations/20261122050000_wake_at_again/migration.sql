-- 0.2.0 dropped this column in the release that stopped using it, so that the workers of 0.1.0 failed during its rollout.
-- It is back, for those who come from 0.1.0 (decision 0014). Without a default it takes no time and no space.
ALTER TABLE "deliveries" ADD COLUMN IF NOT EXISTS "wake_at" TIMESTAMPTZ(3);
