-- What a key may do, until when and from where, and when it was last used. Constant defaults: no table is rewritten, and keys that
-- exist, or that 0.2.0 creates, may do everything.
ALTER TABLE "api_keys"
  ADD COLUMN "name" VARCHAR(100),
  ADD COLUMN "scopes" TEXT[] NOT NULL DEFAULT '{read,write,webhooks,admin}',
  ADD COLUMN "expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "networks" TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
