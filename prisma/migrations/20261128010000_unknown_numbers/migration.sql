-- online: numbers that their provider does not know move to the next provider of the carrier's route.
CREATE INDEX CONCURRENTLY "checks_unknown_idx" ON "checks"("provider", "tracking_id") WHERE "fingerprint" = 'not-found';
