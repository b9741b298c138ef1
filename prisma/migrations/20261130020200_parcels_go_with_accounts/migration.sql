-- Triggers run in the order of their names, and those of foreign keys begin with "RI_": this one runs after the cascades,
-- which wait for every registration and restoration under way by its rows of quota_usage or removed_trackings. Those
-- that come later are refused, because their rows have foreign keys to the account. It reads by index: with the fixed
-- n_distinct, the planner expects every parcel to be the account's.
CREATE FUNCTION delete_trackings()
  RETURNS trigger
  LANGUAGE plpgsql
  SET enable_seqscan TO 'off'
AS $$
BEGIN
  DELETE FROM public.trackings WHERE account_id = OLD.id;
  RETURN NULL;
END
$$;

CREATE TRIGGER delete_trackings AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION delete_trackings();

ALTER TABLE trackings DROP CONSTRAINT trackings_account_id_fkey;
