-- Whoever inserts a check has inserted or locked its parcel in the same transaction, so this sees every check.
CREATE FUNCTION delete_check_and_search()
  RETURNS trigger
  LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM public.checks WHERE tracking_id = OLD.id;
  DELETE FROM public.tracking_search WHERE account_id = OLD.account_id AND tracking_id = OLD.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER delete_check_and_search AFTER DELETE ON trackings FOR EACH ROW EXECUTE FUNCTION delete_check_and_search();

DROP TRIGGER tracking_search_remove ON trackings;

DROP FUNCTION tracking_search_remove();

ALTER TABLE checks DROP CONSTRAINT checks_tracking_id_fkey;
