import type { Db } from '@pts/db/connection/client';
import { seedTrackings } from '@pts/db/trackings/seed';
import { seedLots } from './lots.ts';

/** Registers parcels of the sandbox carrier that look as if they had been tracked for a while, with progress on stderr. */
export async function seedParcels(
  db: Db,
  input: {
    accountId: string;
    total: number;
    changing: number;
    intervalSeconds: number;
    now: Date;
    /** When the interval begins over which the checks are spread; default: now. */
    dueFrom?: Date;
    /** Each check has a time of its own; otherwise they are in slots. */
    apart?: boolean;
  },
  onProgress: (stored: number) => void,
): Promise<void> {
  const lots = seedLots(input);
  const { dueFrom = input.now } = input;
  await seedTrackings(db, { ...input, dueFrom, carrier: 'sandbox', provider: 'sandbox', lots }, onProgress);
}
