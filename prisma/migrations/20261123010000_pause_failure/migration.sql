-- AlterTable
ALTER TABLE "provider_pauses" ADD COLUMN "failure" VARCHAR(40);
