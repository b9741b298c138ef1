-- AlterTable
ALTER TABLE "trackings" ADD COLUMN "candidates" JSONB;

-- AlterTable
ALTER TABLE "checks" ADD COLUMN "undecided" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "learned_prefixes" (
    "prefix" VARCHAR(16) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "finds" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "learned_prefixes_pkey" PRIMARY KEY ("prefix","carrier")
);
