-- Regular checks are claimed by their slot: an unchanged check writes nothing to its own row.
-- The regular check of a parcel belongs to a slot of a ring; `next_check_at` alone says whether it waits for its slot.
ALTER TABLE "checks" ADD COLUMN "ring" SMALLINT, ADD COLUMN "slot" SMALLINT;

-- CreateTable
CREATE TABLE "check_slots" (
    "provider" VARCHAR(40) NOT NULL,
    "ring" SMALLINT NOT NULL,
    "slot" SMALLINT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "claimed_at" TIMESTAMPTZ(3),
    "period_seconds" DOUBLE PRECISION NOT NULL,
    "floor_seconds" DOUBLE PRECISION NOT NULL,
    "size" INTEGER NOT NULL DEFAULT 0,
    "entered_at" TIMESTAMPTZ(3) NOT NULL,
    "after_id" VARCHAR(24),
    "part_at" TIMESTAMPTZ(3),
    "lease" VARCHAR(36),
    "leased_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "check_slots_pkey" PRIMARY KEY ("provider", "ring", "slot")
);

-- CreateIndex
CREATE INDEX "check_slots_provider_due_at_idx" ON "check_slots"("provider", "due_at");

-- What Prisma's schema language does not express.

-- Slots are rewritten at every turn: clean up early, and leave room in the pages.
ALTER TABLE "check_slots" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.1);

-- Whether a member of a slot sits out a turn at that time, because it was asked by itself shortly before.
CREATE FUNCTION "check_sits_out"(c "checks", s "check_slots", turn TIMESTAMPTZ) RETURNS BOOLEAN LANGUAGE sql STABLE AS $$
  SELECT COALESCE(c.claimed_at > turn - make_interval(secs => GREATEST(s.floor_seconds, s.period_seconds / 2)), false)
$$;

-- When a check was last claimed, by itself or with its slot. The slot is null for a check that waits for none.
CREATE FUNCTION "check_claimed_at"(c "checks", s "check_slots") RETURNS TIMESTAMPTZ LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN c.next_check_at < '9999-12-31 00:00:00+00' OR public.check_sits_out(c, s,
      COALESCE(s.leased_at, CASE WHEN c.tracking_id <= s.after_id THEN s.part_at END, s.claimed_at)) THEN c.claimed_at
    ELSE COALESCE(s.leased_at, CASE WHEN c.tracking_id <= s.after_id THEN s.part_at END, s.claimed_at, c.claimed_at) END
$$;

-- When a check is due, by itself or with its slot.
CREATE FUNCTION "check_due_at"(c "checks", s "check_slots") RETURNS TIMESTAMPTZ LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN c.next_check_at < '9999-12-31 00:00:00+00' THEN c.next_check_at
    WHEN s.leased_at IS NOT NULL OR c.tracking_id <= s.after_id OR public.check_sits_out(c, s, s.due_at)
      THEN s.due_at + make_interval(secs => s.period_seconds)
    ELSE COALESCE(s.due_at, c.next_check_at) END
$$;

-- A check that leaves its slot keeps the time at which it was last claimed, and its provider's floor. Whoever moves it, also
-- processes of releases before 0.3.0, knows only its own row. The lock keeps the slot from being claimed meanwhile.
CREATE FUNCTION "check_leaves_slot"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  s public.check_slots;
BEGIN
  SELECT * INTO s FROM public.check_slots
  WHERE provider = OLD.provider AND ring = OLD.ring AND slot = OLD.slot FOR KEY SHARE;
  NEW.claimed_at := GREATEST(NEW.claimed_at, public.check_claimed_at(OLD, s));
  NEW.next_check_at := GREATEST(NEW.next_check_at, NEW.claimed_at + make_interval(secs => s.floor_seconds));
  RETURN NEW;
END
$$;
CREATE TRIGGER "check_leaves_slot" BEFORE UPDATE OF "next_check_at" ON "checks" FOR EACH ROW
  WHEN (OLD.next_check_at = '9999-12-31 00:00:00+00' AND NEW.next_check_at < '9999-12-31 00:00:00+00'
    AND NEW.provider = OLD.provider AND NEW.slot IS NOT DISTINCT FROM OLD.slot)
  EXECUTE FUNCTION "check_leaves_slot"();
