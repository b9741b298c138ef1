-- CreateTable
CREATE TABLE "lane_times" (
    "carrier" VARCHAR(40) NOT NULL,
    "origin" VARCHAR(8) NOT NULL,
    "destination" VARCHAR(8) NOT NULL,
    "hours" SMALLINT NOT NULL,
    "weight" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "lane_times_pkey" PRIMARY KEY ("carrier", "origin", "destination", "hours")
);

-- CreateTable
CREATE TABLE "lane_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "learned_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "lane_progress_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "lane_progress_single_row" CHECK ("id" = 1)
);
