-- CreateTable
CREATE TABLE "provider_tokens" (
    "provider" VARCHAR(40) NOT NULL,
    "credentials" VARCHAR(64) NOT NULL,
    "sealed" TEXT,
    "refresh_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "provider_tokens_pkey" PRIMARY KEY ("provider","credentials")
);
