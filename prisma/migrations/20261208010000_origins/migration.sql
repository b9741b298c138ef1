-- The request that registered a parcel, and the trace that it belongs to; a trace only if it is sampled. Null in older rows.
ALTER TABLE "checks" ADD COLUMN "request_id" VARCHAR(64), ADD COLUMN "traceparent" VARCHAR(55);
ALTER TABLE "messages" ADD COLUMN "request_id" VARCHAR(64), ADD COLUMN "traceparent" VARCHAR(55);
