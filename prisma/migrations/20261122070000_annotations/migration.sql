-- What only some trackings have: scans of an earlier parcel with the same number, announced scans, pieces, an answer in
-- quarantine. Nullable and without a default: nothing is rewritten, and the previous release does not miss it.
ALTER TABLE "trackings" ADD COLUMN "annotations" JSONB;
