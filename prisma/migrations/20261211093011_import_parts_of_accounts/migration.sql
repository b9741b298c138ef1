-- The parts of a file and the rejected rows belong to the account of their import: statements name it.
ALTER TABLE "import_chunks" ADD COLUMN "account_id" VARCHAR(24);
ALTER TABLE "import_rejects" ADD COLUMN "account_id" VARCHAR(24);
