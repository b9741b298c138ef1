-- Every delivery is updated at least once, which adds an entry to these indexes right beside its first: full pages would
-- have to be cleaned or split for each. Holds for new pages; takes no lock that anybody waits for.
ALTER INDEX "deliveries_pkey" SET (fillfactor = 50);
ALTER INDEX "deliveries_message_id_webhook_id_key" SET (fillfactor = 50);
