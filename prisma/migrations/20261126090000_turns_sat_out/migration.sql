-- When a check is due, by itself or with its slot. One that was asked by itself is due at the slot's first turn that it does not
-- sit out, which is not always the next one: its slot may be late.
CREATE OR REPLACE FUNCTION "check_due_at"(c "checks", s "check_slots") RETURNS TIMESTAMPTZ LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN c.next_check_at < '9999-12-31 00:00:00+00' THEN c.next_check_at
    ELSE COALESCE(s.due_at + make_interval(secs => s.period_seconds * GREATEST(
      CASE WHEN s.leased_at IS NOT NULL OR c.tracking_id <= s.after_id THEN 1 ELSE 0 END,
      ceil((extract(epoch FROM c.claimed_at - s.due_at)::float8 + GREATEST(s.floor_seconds, s.period_seconds / 2)) / s.period_seconds))),
      c.next_check_at) END
$$;
