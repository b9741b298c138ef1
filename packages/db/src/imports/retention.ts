import { IMPORT_DAYS } from '@pts/core/imports';
import type { Db } from '../connection.ts';

/** An upload takes less. */
const UPLOAD_HOURS = 1;
const HOUR_MS = 3_600_000;

/** Deletes up to `batch` imports that ended long ago, and uploads that were never completed. @returns their number. */
export async function forgetImports(db: Db, { now, batch }: { now: Date; batch: number }): Promise<number> {
  const ended = new Date(now.getTime() - IMPORT_DAYS * 24 * HOUR_MS).toISOString();
  const uploaded = new Date(now.getTime() - UPLOAD_HOURS * HOUR_MS).toISOString();
  const forgotten = await db.$executeRaw`
    DELETE FROM public.imports WHERE id = ANY (ARRAY(
      SELECT id FROM public.imports WHERE finished_at < ${ended}::timestamptz
      ORDER BY finished_at LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
  const abandoned = await db.$executeRaw`
    DELETE FROM public.imports WHERE id = ANY (ARRAY(
      SELECT id FROM public.imports WHERE state IN ('uploading', 'queued', 'running') AND state = 'uploading'
        AND created_at < ${uploaded}::timestamptz
      ORDER BY created_at LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
  return Math.max(forgotten, abandoned);
}
