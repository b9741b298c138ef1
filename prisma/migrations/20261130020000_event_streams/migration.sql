-- What a stream is for: the results of a batch, or the feed of events. Each kind has its own limit; 0.2.0 counts both together.
ALTER TABLE "stream_leases" ADD COLUMN "kind" VARCHAR(8) NOT NULL DEFAULT 'batch';
