import { column, columns, type Db, hotExecute, hotRows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import type { RunKey } from '../runs/leases.ts';

/** The size of all parts of a file but the last. */
export const CHUNK_BYTES = 256 * 1024;

/** Stores a part of the file of an import. */
export async function insertChunk(db: Db, { accountId, id }: RunKey, seq: number, bytes: Buffer): Promise<void> {
  await hotExecute(
    db,
    Prisma.sql`
      INSERT INTO public.import_chunks (import_id, account_id, seq, bytes) VALUES (${id}, ${accountId}, ${seq}::int, ${bytes})`,
  );
}

const CHUNK = columns({ bytes: column<Buffer>('bytes') });

/**
 * The bytes of a file from `start` to before `end`, part by part.
 * @throws an Error if a part is missing: the file was deleted meanwhile.
 */
export async function* readChunks(
  db: Db,
  { accountId, id }: RunKey,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const seq = Math.floor(at / CHUNK_BYTES);
    const [chunk] = await hotRows(
      db,
      CHUNK,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.import_chunks
        WHERE import_id = ${id} AND account_id = ${accountId} AND seq = ${seq}::int`,
    );
    if (!chunk) throw new Error('a part of the file of an import is missing');
    const from = at - seq * CHUNK_BYTES;
    const part = chunk.bytes.subarray(from, from + end - at);
    yield part;
    at += part.length;
  }
}
