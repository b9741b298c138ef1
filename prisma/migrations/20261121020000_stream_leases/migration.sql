-- CreateTable
CREATE TABLE "stream_leases" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_leases_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "stream_leases_account_id_idx" ON "stream_leases"("account_id");

-- AddForeignKey
ALTER TABLE "stream_leases" ADD CONSTRAINT "stream_leases_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;
