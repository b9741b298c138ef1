-- online: `trackings` is large.
-- Parcels in trouble, by what is wrong with them. Without a known problem, as in rows of releases before 0.3.0, it is an exception.
CREATE INDEX CONCURRENTLY "trackings_problem_idx"
  ON "trackings"("account_id", (COALESCE("annotations" ->> 'problem', 'exception')), "updated_at" DESC, "id" DESC)
  WHERE "sub_status" IN ('exception', 'undeliverable');

-- Numbers that none of their possible carriers has known so far.
CREATE INDEX CONCURRENTLY "trackings_undecided_idx" ON "trackings"("account_id", "updated_at" DESC, "id" DESC)
  WHERE "sub_status" = 'pending' AND "candidates" IS NOT NULL AND "detected";
