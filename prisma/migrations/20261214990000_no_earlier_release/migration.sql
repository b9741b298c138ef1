ALTER TABLE "feed_epochs" DROP COLUMN "takes_plain";
ALTER TABLE "messages" ALTER COLUMN "timeline" SET NOT NULL;
ALTER TABLE "deliveries" DROP COLUMN "wake_at";
DROP TABLE "stat_recounts";
