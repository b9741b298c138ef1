import pg from 'pg';

/** Gives an account of a new installation the figures of a month: a picture of a single hour shows nothing. */
export async function addPastMonth(
  databaseUrl: string,
  accountId: string,
  webhookIds: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(COUNTS, [accountId]);
    await client.query(ENDPOINTS, [accountId, webhookIds]);
    await client.query(TRANSITS, [accountId]);
  } finally {
    await client.end();
  }
}

/** More by day than by night. */
const SHAPE = '(1 + sin((extract(hour FROM at) - 8) / 24 * 2 * pi()) * 0.8)';

const COUNTS = `
  INSERT INTO stat_counts (account_id, series, at, figure, bucket, amount)
  SELECT $1, grain, at, figure, bucket, greatest(0, round(base * CASE grain WHEN 'hour' THEN ${SHAPE} ELSE 9 + extract(isodow FROM at) / 2 END))
  FROM (SELECT 'hour' AS grain, date_trunc('hour', now()) - n * interval '1 hour' AS at FROM generate_series(1, 23) n
    UNION ALL SELECT 'day', date_trunc('day', now(), 'UTC') - n * interval '1 day' FROM generate_series(1, 29) n) t
  CROSS JOIN (VALUES ('registered', 0, 90), ('tracking_update', 0, 500), ('tracking_delivered', 0, 80), ('tracking_exception', 0, 2),
    ('accepted', 29, 480), ('accepted', 34, 60), ('failed', 0, 5)) f (figure, bucket, base)
  ON CONFLICT DO NOTHING`;

const ENDPOINTS = `
  INSERT INTO stat_counts (account_id, series, at, figure, bucket, amount)
  SELECT $1, 'endpoint', at, webhook_id, accepted, CASE WHEN accepted = 1 THEN round(240 * ${SHAPE}) WHEN n IN (6, 7, 15) THEN 10 * n ELSE 0 END
  FROM unnest($2::text[]) webhook_id CROSS JOIN generate_series(1, 22) n CROSS JOIN (VALUES (0), (1)) a (accepted)
  CROSS JOIN LATERAL (SELECT date_trunc('hour', now()) - n * interval '1 hour' AS at) t
  ON CONFLICT DO NOTHING`;

const TRANSITS = `
  INSERT INTO stat_transits (account_id, grain, at, carrier, origin, destination, hours, parcels, carrier_expected, carrier_in_time,
    history_expected, history_in_time)
  SELECT $1, grain, date_bin(CASE grain WHEN 'day' THEN interval '1 day' ELSE interval '7 days' END,
      now() - interval '8 days', timestamptz '1970-01-05T00:00:00Z'), carrier, '*', '*', slowness * hours, parcels, parcels,
    parcels - 1, 0, 0
  FROM (VALUES ('day'), ('week')) g (grain)
  CROSS JOIN (VALUES ('sandbox', 1), ('sf-express', 1), ('jd', 1), ('yto', 2), ('zto', 2), ('sto', 2), ('yunda', 3), ('china-ems', 2)) c (carrier, slowness)
  CROSS JOIN (VALUES (30, 40), (36, 22), (48, 9)) h (hours, parcels)
  ON CONFLICT DO NOTHING`;
