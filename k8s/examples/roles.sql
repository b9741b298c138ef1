-- Two roles: one that migrates and owns the tables, and one for the service, which can neither change nor drop them. Run it once as
-- a superuser, connected to the service's database, before the first migration, and give both a password (\password in psql).
-- In a database that another role owns already, run first: REASSIGN OWNED BY that_role TO parcel_tracking_owner;
CREATE ROLE parcel_tracking_owner LOGIN;
CREATE ROLE parcel_tracking_service LOGIN;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO parcel_tracking_owner;
GRANT USAGE ON SCHEMA public TO parcel_tracking_service;

-- What the owner creates from now on. Without Redis, the queue gets a schema of its own.
ALTER DEFAULT PRIVILEGES FOR ROLE parcel_tracking_owner GRANT USAGE ON SCHEMAS TO parcel_tracking_service;
ALTER DEFAULT PRIVILEGES FOR ROLE parcel_tracking_owner
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO parcel_tracking_service;
ALTER DEFAULT PRIVILEGES FOR ROLE parcel_tracking_owner GRANT USAGE, SELECT ON SEQUENCES TO parcel_tracking_service;

DO $$
BEGIN
  EXECUTE format('GRANT CREATE ON DATABASE %I TO parcel_tracking_owner', current_database());
  -- The pollers analyze tables that have grown many times over: from PostgreSQL 17 on, that needs no ownership.
  IF current_setting('server_version_num')::int >= 170000 THEN
    EXECUTE 'GRANT pg_maintain TO parcel_tracking_service';
  END IF;
END
$$;
