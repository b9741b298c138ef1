-- online: the table of attempts may be large.
-- A partitioned table has an index like this one; a unique one would need the key of the partitions.
CREATE INDEX CONCURRENTLY "delivery_attempts_delivery_id_round_attempt_idx" ON "delivery_attempts"("delivery_id", "round", "attempt");
-- Until now, ids are numbers of a sequence. With this proof, the next migration attaches the table without reading it.
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_before_times" CHECK ("id" < 1099511627776) NOT VALID;
ALTER TABLE "delivery_attempts" VALIDATE CONSTRAINT "delivery_attempts_before_times";
