-- online: the rows of imports that there are, an import at a time; an interrupted run goes on where it was.
CREATE OR REPLACE PROCEDURE "fill_import_parts"() LANGUAGE plpgsql AS $$
DECLARE
  owner RECORD;
BEGIN
  FOR owner IN SELECT id, account_id FROM public.imports LOOP
    UPDATE public.import_chunks SET account_id = owner.account_id WHERE import_id = owner.id AND account_id IS NULL;
    UPDATE public.import_rejects SET account_id = owner.account_id WHERE import_id = owner.id AND account_id IS NULL;
    COMMIT;
  END LOOP;
END
$$;

CALL "fill_import_parts"();

DROP PROCEDURE "fill_import_parts"();
