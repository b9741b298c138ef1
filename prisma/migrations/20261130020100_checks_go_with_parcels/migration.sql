-- Whoever inserts a check has inserted or locked its parcel in the same transaction, so this sees every check.
CREATE OR REPLACE FUNCTION tracking_search_remove()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM public.checks WHERE tracking_id = OLD.id;
  DELETE FROM public.tracking_search WHERE account_id = OLD.account_id AND tracking_id = OLD.id;
  RETURN NULL;
END
$$;

ALTER FUNCTION tracking_search_remove() RENAME TO delete_check_and_search;

ALTER TRIGGER tracking_search_remove ON trackings RENAME TO delete_check_and_search;

ALTER TABLE checks DROP CONSTRAINT checks_tracking_id_fkey;
