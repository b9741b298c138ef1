-- CreateTable
CREATE TABLE "imports" (
    "id" VARCHAR(24) NOT NULL,
    "account_id" VARCHAR(24) NOT NULL,
    "state" VARCHAR(12) NOT NULL DEFAULT 'uploading',
    "dry_run" BOOLEAN NOT NULL,
    "file_name" VARCHAR(200),
    "format" VARCHAR(8) NOT NULL,
    "encoding" VARCHAR(16),
    "file_bytes" INTEGER NOT NULL DEFAULT 0,
    "wanted" JSONB NOT NULL,
    "columns" JSONB,
    "rows_total" INTEGER,
    "position" INTEGER NOT NULL DEFAULT 0,
    "read" INTEGER NOT NULL DEFAULT 0,
    "registered" INTEGER NOT NULL DEFAULT 0,
    "known" INTEGER NOT NULL DEFAULT 0,
    "updated" INTEGER NOT NULL DEFAULT 0,
    "rejected" INTEGER NOT NULL DEFAULT 0,
    "faults" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "holder" VARCHAR(24),
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "progress_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "imports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "import_chunks" (
    "import_id" VARCHAR(24) NOT NULL,
    "seq" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "import_chunks_pkey" PRIMARY KEY ("import_id","seq")
);

-- CreateTable
CREATE TABLE "import_rejects" (
    "import_id" VARCHAR(24) NOT NULL,
    "first_row" INTEGER NOT NULL,
    "csv" BYTEA NOT NULL,

    CONSTRAINT "import_rejects_pkey" PRIMARY KEY ("import_id","first_row")
);

-- CreateIndex
CREATE INDEX "imports_account_id_created_at_idx" ON "imports"("account_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "imports_finished_at_idx" ON "imports"("finished_at");

-- AddForeignKey
ALTER TABLE "imports" ADD CONSTRAINT "imports_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_chunks" ADD CONSTRAINT "import_chunks_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "import_rejects" ADD CONSTRAINT "import_rejects_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema language does not express.

-- Those that are uploaded, wait or run, which the sweeps look for.
CREATE INDEX "imports_unfinished_idx" ON "imports"("created_at") WHERE "state" IN ('uploading', 'queued', 'running');

-- Written and read once: compressing it would cost more than it saves.
ALTER TABLE "import_chunks" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
