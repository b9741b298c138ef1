-- online: the members of a slot. Releases before 0.3.0 never claim them, because they are due in the year 9999.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "checks_slot_idx" ON "checks"("provider", "ring", "slot", "tracking_id")
  WHERE "slot" IS NOT NULL;
