-- The timeline of this server: a promotion and a recovery to a point in time start the next one. 0 where the server does not tell.
-- Both functions are immutable so that a plan computes them once: a session that can write lives on one timeline of one server.
CREATE FUNCTION "feed_timeline"() RETURNS INTEGER LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ('x' || left(pg_walfile_name('0/1'), 8))::bit(32)::int;
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN 0;
END $$;

-- The identifier of this cluster: standbys and base backups share it, a dump that is restored elsewhere does not.
CREATE FUNCTION "feed_system"() RETURNS TEXT LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT system_identifier::text FROM pg_control_system());
EXCEPTION WHEN insufficient_privilege OR undefined_function OR feature_not_supported THEN
  RETURN '';
END $$;

-- CreateTable
CREATE TABLE "feed_epochs" (
    "id" INTEGER NOT NULL DEFAULT 1 + floor(random() * 2147483646)::int,
    "system" TEXT NOT NULL DEFAULT feed_system(),
    "timeline" INTEGER NOT NULL DEFAULT feed_timeline(),
    "first_xact" BIGINT NOT NULL DEFAULT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint,
    "takes_plain" BOOLEAN NOT NULL DEFAULT false,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feed_epochs_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "feed_epochs_system_timeline_key" ON "feed_epochs"("system", "timeline");

-- The cursors of 0.2.0 name no epoch: they belong to this one.
INSERT INTO "feed_epochs" ("takes_plain") VALUES (true);

-- Added empty, so that no row is rewritten: only rows stored from now on have a timeline.
ALTER TABLE "messages" ADD COLUMN "timeline" INTEGER;
ALTER TABLE "messages" ALTER COLUMN "timeline" SET DEFAULT feed_timeline();
