-- CreateTable
CREATE TABLE "provider_pace" (
    "provider" VARCHAR(40) NOT NULL,
    "next_turn_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "provider_pace_pkey" PRIMARY KEY ("provider")
);
