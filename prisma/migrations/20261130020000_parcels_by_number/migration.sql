-- online
-- One index keeps a number single in its account, and finds it among all accounts. These columns are unique already.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS trackings_tracking_number_account_id_carrier_key ON trackings (tracking_number, account_id, carrier);

DROP INDEX CONCURRENTLY IF EXISTS trackings_account_id_tracking_number_carrier_key;

DROP INDEX CONCURRENTLY IF EXISTS trackings_tracking_number_carrier_idx;
