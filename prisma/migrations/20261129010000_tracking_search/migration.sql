-- What lists and searches of parcels read besides their state: written when a parcel is registered, and when its number, carrier,
-- order or title changes. `trackings` is written at every change of a parcel, and each of its indexes with it.
CREATE TABLE "tracking_search" (
    "account_id" VARCHAR(24) NOT NULL,
    "tracking_id" VARCHAR(24) NOT NULL,
    "carrier" VARCHAR(40) NOT NULL,
    "text" TEXT NOT NULL,

    CONSTRAINT "tracking_search_pkey" PRIMARY KEY ("account_id", "tracking_id")
);

-- As for the other tables: plans for any account expect the share of the largest one.
ALTER TABLE "tracking_search" ALTER COLUMN "account_id" SET (n_distinct = 1);

-- The searched text of a parcel: a line each for its number, order and title.
CREATE FUNCTION "search_text"(number TEXT, order_id TEXT, title TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT lower(number || COALESCE(chr(10) || order_id, '') || COALESCE(chr(10) || title, ''))
$$;

-- Every three characters in a row, and every two if one of them is not ASCII: words of Chinese are that short. As numbers that
-- differ between accounts, so that a search never reads what other accounts have in common with it. A loop takes a quarter of the
-- time of a query. The cost keeps the planner from computing it for each row instead of reading the index.
CREATE FUNCTION "search_grams"(account_id TEXT, searched TEXT) RETURNS BIGINT[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
DECLARE
  seed BIGINT := hashtextextended(account_id, 0);
  size INTEGER := length(searched);
  grams BIGINT[] := '{}';
  pair TEXT;
BEGIN
  FOR n IN 1 .. size - 2 LOOP
    grams[n] := hashtextextended(substr(searched, n, 3), seed);
  END LOOP;
  IF octet_length(searched) > size THEN
    FOR n IN 1 .. size - 1 LOOP
      pair := substr(searched, n, 2);
      IF octet_length(pair) > 2 THEN
        grams := grams || hashtextextended(pair, seed);
      END IF;
    END LOOP;
  END IF;
  RETURN grams;
END
$$;

-- Triggers, because releases before 0.3.0 also register and change parcels.
CREATE FUNCTION "tracking_search_add"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text)
  SELECT account_id, id, carrier, public.search_text(tracking_number, order_id, title) FROM added;
  RETURN NULL;
END
$$;
CREATE TRIGGER "tracking_search_add" AFTER INSERT ON "trackings" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "tracking_search_add"();

-- Also inserts: a parcel from before this migration may not have its row yet.
CREATE FUNCTION "tracking_search_change"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.tracking_search (account_id, tracking_id, carrier, text)
  VALUES (NEW.account_id, NEW.id, NEW.carrier, public.search_text(NEW.tracking_number, NEW.order_id, NEW.title))
  ON CONFLICT (account_id, tracking_id) DO UPDATE SET carrier = excluded.carrier, text = excluded.text;
  RETURN NULL;
END
$$;
CREATE TRIGGER "tracking_search_change" AFTER UPDATE OF "tracking_number", "carrier", "order_id", "title" ON "trackings" FOR EACH ROW
  WHEN ((NEW.tracking_number, NEW.carrier, NEW.order_id, NEW.title)
    IS DISTINCT FROM (OLD.tracking_number, OLD.carrier, OLD.order_id, OLD.title))
  EXECUTE FUNCTION "tracking_search_change"();

CREATE FUNCTION "tracking_search_remove"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.tracking_search WHERE account_id = OLD.account_id AND tracking_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER "tracking_search_remove" AFTER DELETE ON "trackings" FOR EACH ROW EXECUTE FUNCTION "tracking_search_remove"();
