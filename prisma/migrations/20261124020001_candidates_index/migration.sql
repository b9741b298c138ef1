-- online: the undecided numbers of a paused provider are found without reading its other due checks.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "checks_undecided_idx" ON "checks"("provider", "next_check_at") WHERE "undecided";
