-- CreateTable
CREATE TABLE "idempotency_keys" (
    "account_id" VARCHAR(24) NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "holder" VARCHAR(24) NOT NULL,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "status" SMALLINT,
    "sealed_body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
