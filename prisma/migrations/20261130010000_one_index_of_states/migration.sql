-- online
-- One index of the states of parcels instead of three. A process of the previous release still finds what it looks for,
-- only slower: it reads more of an account's parcels.
CREATE INDEX CONCURRENTLY IF NOT EXISTS trackings_state_idx ON trackings (account_id, status, sub_status, (
CASE
    WHEN stopped_at IS NOT NULL THEN 'stopped'
    WHEN sub_status = 'pending' AND candidates IS NOT NULL AND detected THEN 'undecided'
    ELSE ''
END), updated_at DESC, id DESC);

-- Without statistics, every state seems rare, so its range is read whatever the parcels of the account were yesterday.
ALTER INDEX trackings_state_idx ALTER COLUMN 4 SET STATISTICS 0;

DROP INDEX CONCURRENTLY IF EXISTS trackings_account_id_status_updated_at_id_idx;

DROP INDEX CONCURRENTLY IF EXISTS trackings_account_id_sub_status_updated_at_id_idx;

DROP INDEX CONCURRENTLY IF EXISTS trackings_quiet_idx;
