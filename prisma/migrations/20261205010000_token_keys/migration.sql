-- Null: the keys of tokens derive from ENCRYPTION_KEY, which was never rotated.
ALTER TABLE "installation" ADD COLUMN "token_keys" TEXT;
