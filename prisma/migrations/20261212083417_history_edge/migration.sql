-- The last bound of a table up to a period below which nothing is pending. As before, but of each partition it reads one pending row at
-- most: after a long stop of all dispatchers there may be millions, and each rotation would read them.
CREATE OR REPLACE FUNCTION "history_edge"(parent TEXT, period INTEGER) RETURNS INTEGER LANGUAGE plpgsql
  SET search_path = pg_catalog SET enable_seqscan = off SET jit = off AS $$
DECLARE
  part RECORD;
  is_pending BOOLEAN;
BEGIN
  IF parent <> 'delivery_attempts' THEN
    FOR part IN SELECT name, COALESCE(begins, 0) AS begins FROM public.history_partitions
      WHERE "table" = 'deliveries' AND COALESCE(begins, 0) < period ORDER BY 2 LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM public.%1$I WHERE state = ''owed'' AND fresh)
        OR EXISTS (SELECT FROM public.%1$I WHERE state = ''owed'' AND NOT fresh)', part.name) INTO is_pending;
      IF is_pending THEN
        period := part.begins;
        EXIT;
      END IF;
    END LOOP;
  END IF;
  RETURN (SELECT max(ends) FROM public.history_partitions WHERE "table" = parent AND ends <= period);
END
$$;
