-- Two roles: one that migrates and owns the tables, one for the service, which cannot change or drop them. Run it once as a
-- superuser, connected to the service's database, before the first migration:
--   psql "$SUPERUSER_URL" -v owner_password=… -v service_password=… -f k8s/examples/roles.sql
-- In a database that the service owns already, first: REASSIGN OWNED BY its_role TO parcel_tracking_owner;
CREATE ROLE parcel_tracking_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE parcel_tracking_service LOGIN PASSWORD :'service_password';

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE, CREATE ON SCHEMA public TO parcel_tracking_owner;
GRANT USAGE ON SCHEMA public TO parcel_tracking_service;

-- What the owner creates from now on. Without Redis, the queue has a schema of its own.
SELECT format('GRANT CREATE ON DATABASE %I TO parcel_tracking_owner', current_database()) \gexec
ALTER DEFAULT PRIVILEGES FOR ROLE parcel_tracking_owner GRANT USAGE ON SCHEMAS TO parcel_tracking_service;
ALTER DEFAULT PRIVILEGES FOR ROLE parcel_tracking_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO parcel_tracking_service;
ALTER DEFAULT PRIVILEGES FOR ROLE parcel_tracking_owner GRANT USAGE, SELECT ON SEQUENCES TO parcel_tracking_service;

-- The pollers analyze tables that have grown many times over. From PostgreSQL 17 on, that needs no ownership:
SELECT 'GRANT pg_maintain TO parcel_tracking_service' WHERE current_setting('server_version_num')::int >= 170000 \gexec
