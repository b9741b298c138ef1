import type { Db } from '@pts/db/connection/client';
import { seedTrackings } from '@pts/db/trackings/seed';
import { seedLots } from './lots.ts';

/** Registers parcels of the sandbox carrier that look as if they had been tracked for a while, with progress on stderr. */
export async function seedParcels(
  db: Db,
  input: { accountId: string; total: number; changing: number; intervalSeconds: number; now: Date },
  onProgress: (stored: number) => void,
): Promise<void> {
  const lots = seedLots(input);
  await seedTrackings(db, { ...input, carrier: 'sandbox', provider: 'sandbox', lots }, onProgress);
}
