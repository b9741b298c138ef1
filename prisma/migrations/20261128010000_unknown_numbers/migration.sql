-- Numbers that their provider does not know move to the next provider of the carrier's route: found without reading all checks.
CREATE INDEX "checks_unknown_idx" ON "checks"("provider", "tracking_id") WHERE "fingerprint" = 'not-found';
