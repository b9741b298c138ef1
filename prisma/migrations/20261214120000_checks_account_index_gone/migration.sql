-- online
DROP INDEX CONCURRENTLY "checks_account_id_idx";
