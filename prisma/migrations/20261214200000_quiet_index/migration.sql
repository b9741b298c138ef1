-- online: `trackings` is large.
-- Parcels that need attention once there is no news for some days, by what they wait for; stopped ones never do.
CREATE INDEX CONCURRENTLY "trackings_quiet_idx" ON "trackings"("account_id",
    (CASE WHEN "sub_status" = 'pending' AND "candidates" IS NOT NULL AND "detected" THEN 'undecided' ELSE "sub_status" END),
    "updated_at" DESC, "id" DESC)
  WHERE "stopped_at" IS NULL AND "sub_status" IN ('pending', 'info_received', 'in_transit', 'out_for_delivery');

DROP INDEX CONCURRENTLY "trackings_undecided_idx";
