-- AlterTable
ALTER TABLE "checks"
  ADD COLUMN "failure" VARCHAR(40),
  ADD COLUMN "failing_since" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "provider_pauses"
  ADD COLUMN "counted_at" TIMESTAMPTZ(3),
  ADD COLUMN "parcels" TEXT[] DEFAULT ARRAY[]::TEXT[];
