-- The parts of a file and the rejected rows belong to the account of their import: statements name it.
ALTER TABLE "import_chunks" ADD COLUMN "account_id" VARCHAR(24);
ALTER TABLE "import_rejects" ADD COLUMN "account_id" VARCHAR(24);
UPDATE "import_chunks" c SET "account_id" = i."account_id" FROM "imports" i WHERE i."id" = c."import_id";
UPDATE "import_rejects" r SET "account_id" = i."account_id" FROM "imports" i WHERE i."id" = r."import_id";
