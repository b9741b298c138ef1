-- CreateTable
CREATE TABLE "page_settings" (
    "account_id" VARCHAR(24) NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT false,
    "name" VARCHAR(100),
    "color" VARCHAR(7),
    "shop_url" VARCHAR(2048),
    "support_url" VARCHAR(2048),
    "hide_carrier" BOOLEAN NOT NULL DEFAULT false,
    "hide_places" BOOLEAN NOT NULL DEFAULT false,
    "embed_origins" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "gone_after_days" INTEGER NOT NULL DEFAULT 90,
    "logo" BYTEA,
    "logo_width" INTEGER,
    "logo_height" INTEGER,

    CONSTRAINT "page_settings_pkey" PRIMARY KEY ("account_id")
);

-- AddForeignKey
ALTER TABLE "page_settings" ADD CONSTRAINT "page_settings_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Null: the link was never renewed or revoked, as in every row of before.
ALTER TABLE "trackings" ADD COLUMN "page_generation" INTEGER, ADD COLUMN "page_revoked_at" TIMESTAMPTZ(3);
