-- CreateTable
-- Unlogged: a lease lasts seconds, and a crash of the server may forget it.
CREATE UNLOGGED TABLE "endpoint_turns" (
    "webhook_id" VARCHAR(24) NOT NULL,
    "holder" VARCHAR(36) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "endpoint_turns_pkey" PRIMARY KEY ("webhook_id")
);
