-- online: a live account has one test account.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "accounts_test_of_key" ON "accounts"("test_of");

ALTER TABLE "accounts" VALIDATE CONSTRAINT "accounts_test_of_fkey";
