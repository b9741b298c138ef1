-- A file that kills the process that reads it must not do so without end.
ALTER TABLE "imports" ADD COLUMN "lost_runs" INTEGER NOT NULL DEFAULT 0;
