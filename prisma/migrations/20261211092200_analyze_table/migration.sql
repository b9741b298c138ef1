-- Analyzes a table of the role that migrates, for the service's role, which may not (decision 0011).
CREATE FUNCTION "analyze_table"(name TEXT) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = name AND relkind = 'r'
    AND pg_has_role(relowner, 'USAGE')) THEN
    EXECUTE format('ANALYZE (SKIP_LOCKED) public.%I', name);
  END IF;
END
$$;
