-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "accounts" (
    "id" VARCHAR(24) NOT NULL,
    "name" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "quota_override" INTEGER,
    "disabled_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "quota_usage" (
    "account_id" VARCHAR(24) NOT NULL,
    "month" DATE NOT NULL,
    "used" INTEGER NOT NULL,
    "quota_limit" INTEGER NOT NULL,

    CONSTRAINT "quota_usage_pkey" PRIMARY KEY ("account_id","month")
);

-- CreateTable
CREATE TABLE "trackings" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "tracking_number" VARCHAR(50) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "detected" BOOLEAN NOT NULL,
    "provider" VARCHAR(40) NOT NULL,
    "status" VARCHAR(8) NOT NULL,
    "sub_status" VARCHAR(24) NOT NULL,
    "events" JSONB NOT NULL DEFAULT '[]',
    "latest_event" JSONB,
    "seq" INTEGER NOT NULL DEFAULT 0,
    "notice" TEXT,
    "phone" VARCHAR(40),
    "postal_code" VARCHAR(20),
    "destination_country" VARCHAR(2),
    "order_id" VARCHAR(100),
    "title" VARCHAR(200),
    "metadata" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "retracked_at" TIMESTAMPTZ(3),
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "trackings_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "checks" (
    "tracking_id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "provider" VARCHAR(40) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "tracking_number" VARCHAR(50) NOT NULL,
    "hints" JSONB,
    "fingerprint" VARCHAR(40),
    "next_check_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_at" TIMESTAMPTZ(3),
    "final_look" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checks_pkey" PRIMARY KEY ("tracking_id")
);

-- CreateTable
CREATE TABLE "provider_pauses" (
    "provider" VARCHAR(40) NOT NULL,
    "failures" INTEGER NOT NULL,
    "paused_until" TIMESTAMPTZ(3),
    "reason" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "provider_pauses_pkey" PRIMARY KEY ("provider")
);

-- CreateTable
CREATE TABLE "provider_usage" (
    "provider" VARCHAR(40) NOT NULL,
    "day" DATE NOT NULL,
    "calls" INTEGER NOT NULL,

    CONSTRAINT "provider_usage_pkey" PRIMARY KEY ("provider","day")
);

-- CreateTable
CREATE TABLE "webhooks" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "url" VARCHAR(2048) NOT NULL,
    "events" TEXT[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "secret_box" TEXT NOT NULL,
    "previous_secret_box" TEXT,
    "previous_secret_until" TIMESTAMPTZ(3),
    "disabled_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "messages" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "tracking_id" VARCHAR(24),
    "event" VARCHAR(32) NOT NULL,
    "seq" INTEGER,
    "body" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "messages_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" BIGSERIAL NOT NULL,
    "message_id" VARCHAR(24) NOT NULL,
    "webhook_id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "state" VARCHAR(12) NOT NULL DEFAULT 'owed',
    "attempts" SMALLINT NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "wake_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "id" BIGSERIAL NOT NULL,
    "delivery_id" BIGINT,
    "message_id" VARCHAR(24) NOT NULL,
    "webhook_id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "event" VARCHAR(32) NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "status_code" SMALLINT NOT NULL,
    "error" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "response_excerpt" TEXT,
    "next_attempt_at" TIMESTAMPTZ(3),

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rate_limits" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "rate_limits_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_key_hash_key" ON "api_keys"("key_hash");

-- CreateIndex
CREATE INDEX "api_keys_account_id_idx" ON "api_keys"("account_id");

-- CreateIndex
CREATE INDEX "trackings_account_id_updated_at_id_idx" ON "trackings"("account_id", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "trackings_account_id_status_updated_at_id_idx" ON "trackings"("account_id", "status", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "trackings_account_id_sub_status_updated_at_id_idx" ON "trackings"("account_id", "sub_status", "updated_at" DESC, "id" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "trackings_account_id_tracking_number_carrier_key" ON "trackings"("account_id", "tracking_number", "carrier");

-- CreateIndex
CREATE INDEX "checks_provider_next_check_at_idx" ON "checks"("provider", "next_check_at");

-- CreateIndex
CREATE INDEX "checks_account_id_idx" ON "checks"("account_id");

-- CreateIndex
CREATE INDEX "checks_expires_at_idx" ON "checks"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhooks_account_id_url_key" ON "webhooks"("account_id", "url");

-- CreateIndex
CREATE INDEX "messages_account_id_created_at_idx" ON "messages"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "messages_created_at_idx" ON "messages"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_message_id_webhook_id_key" ON "deliveries"("message_id", "webhook_id");

-- CreateIndex
CREATE INDEX "delivery_attempts_account_id_id_idx" ON "delivery_attempts"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "delivery_attempts_started_at_idx" ON "delivery_attempts"("started_at");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_attempts_delivery_id_attempt_key" ON "delivery_attempts"("delivery_id", "attempt");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quota_usage" ADD CONSTRAINT "quota_usage_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trackings" ADD CONSTRAINT "trackings_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "checks" ADD CONSTRAINT "checks_tracking_id_fkey" FOREIGN KEY ("tracking_id") REFERENCES "trackings"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language does not express.

-- The quota is a constraint: a statement that would charge beyond it fails as a whole and stores nothing.
ALTER TABLE "quota_usage" ADD CONSTRAINT "quota_usage_within_limit" CHECK ("used" <= "quota_limit");

-- Only what is still owed is swept; delivered rows never weigh on it.
CREATE INDEX "deliveries_owed_wake_at_idx" ON "deliveries"("wake_at") WHERE "state" = 'owed';
CREATE INDEX "deliveries_owed_webhook_id_idx" ON "deliveries"("webhook_id") WHERE "state" = 'owed';
CREATE INDEX "webhooks_enabled_account_id_idx" ON "webhooks"("account_id") WHERE "enabled";

-- The schedule's rows are rewritten at every check: clean up early.
ALTER TABLE "checks" SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE "deliveries" SET (autovacuum_vacuum_scale_factor = 0.02);
