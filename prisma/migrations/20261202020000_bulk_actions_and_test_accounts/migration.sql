-- CreateTable
CREATE TABLE "bulk_actions" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "action" VARCHAR(12) NOT NULL,
    "filter" JSONB NOT NULL,
    "state" VARCHAR(12) NOT NULL DEFAULT 'queued',
    "matched" INTEGER NOT NULL,
    "is_lower_bound" BOOLEAN NOT NULL,
    "ceiling" BIGINT,
    "place" JSONB,
    "done" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "reasons" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "holder" VARCHAR(24),
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "bulk_actions_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "bulk_actions_account_id_created_at_idx" ON "bulk_actions"("account_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "bulk_actions_finished_at_idx" ON "bulk_actions"("finished_at");

-- AddForeignKey
ALTER TABLE "bulk_actions" ADD CONSTRAINT "bulk_actions_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Null: polling was never stopped by the merchant, as in every row of before.
ALTER TABLE "trackings" ADD COLUMN "stopped_at" TIMESTAMPTZ(3);

-- Null: a live account, as in every row of before.
ALTER TABLE "accounts" ADD COLUMN "test_of" VARCHAR(24);

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_test_of_fkey" FOREIGN KEY ("test_of") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE NOT VALID;

-- What Prisma's schema language does not express.

-- An account has one at a time. The sweeps look for these.
CREATE UNIQUE INDEX "bulk_actions_unfinished_key" ON "bulk_actions"("account_id") WHERE "state" IN ('queued', 'running');
