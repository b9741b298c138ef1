-- CreateTable
CREATE TABLE "replays" (
    "id" VARCHAR(24) NOT NULL,
    "webhook_id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    "events" TEXT[],
    "state" VARCHAR(12) NOT NULL DEFAULT 'running',
    "total" INTEGER,
    "replayed" INTEGER NOT NULL DEFAULT 0,
    "xact" BIGINT NOT NULL,
    "position" BIGINT NOT NULL,
    "end_xact" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "replays_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "replays_webhook_id_created_at_idx" ON "replays"("webhook_id", "created_at" DESC);

-- AddForeignKey
ALTER TABLE "replays" ADD CONSTRAINT "replays_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language does not express.

-- One replay at a time is under way for an endpoint.
CREATE UNIQUE INDEX "replays_running_key" ON "replays"("webhook_id") WHERE "state" = 'running';
