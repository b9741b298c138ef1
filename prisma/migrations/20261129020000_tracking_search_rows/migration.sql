-- online: a row for each parcel that was registered before, in parts; an interrupted run starts over, and skips what is there.
CREATE OR REPLACE PROCEDURE "fill_tracking_search"() LANGUAGE plpgsql AS $$
DECLARE
  last TEXT := '';
  upto TEXT;
BEGIN
  LOOP
    SELECT max(id) INTO upto FROM (SELECT id FROM public.trackings WHERE id > last ORDER BY id LIMIT 5000) AS part;
    EXIT WHEN upto IS NULL;
    INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text)
    SELECT account_id, id, carrier, public.search_text(tracking_number, order_id, title)
    FROM public.trackings WHERE id > last AND id <= upto
    ON CONFLICT (account_id, tracking_id) DO NOTHING;
    last := upto;
    COMMIT;
  END LOOP;
  -- Of parcels that were deleted while their part was copied.
  DELETE FROM public.tracking_search s WHERE NOT EXISTS (SELECT 1 FROM public.trackings t WHERE t.id = s.tracking_id);
END
$$;

CALL "fill_tracking_search"();

DROP PROCEDURE "fill_tracking_search"();

CREATE INDEX CONCURRENTLY "tracking_search_account_id_carrier_tracking_id_idx"
  ON "tracking_search"("account_id", "carrier", "tracking_id");

CREATE INDEX CONCURRENTLY "tracking_search_grams_idx" ON "tracking_search" USING gin ("search_grams"("account_id", "text"));

-- ANALYZE would compute it for thousands of rows, and no plan depends on it.
ALTER INDEX "tracking_search_grams_idx" ALTER COLUMN 1 SET STATISTICS 0;

-- An empty table is left out: once analyzed, it would be planned for as empty.
DO $$ BEGIN
  IF EXISTS (SELECT FROM "tracking_search") THEN ANALYZE "tracking_search"; END IF;
END $$;
