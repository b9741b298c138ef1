-- What the numbers of a parcel's events continue from in this epoch; 0 in the first one.
ALTER TABLE "feed_epochs" ADD COLUMN "seq_floor" INTEGER NOT NULL DEFAULT 0;

-- The identifier of this cluster and of the table: standbys and base backups share both, a dump makes the table again wherever it
-- is restored.
CREATE OR REPLACE FUNCTION "feed_system"() RETURNS TEXT LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT system_identifier::text FROM pg_control_system()) || '.' || 'public.feed_epochs'::regclass::oid;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 'public.feed_epochs'::regclass::oid::text;
END $$;
UPDATE "feed_epochs" SET "system" = feed_system();
