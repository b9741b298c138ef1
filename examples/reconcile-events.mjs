// Catch up on missed events: after an outage on your side, or once a day to be sure that nothing was lost.
//   node examples/reconcile-events.mjs
// CURSOR_FILE  stores your position; if not set, a file in the system's folder for temporary files, one for each
// service and key. Without the file, all stored events are read. In production, keep the cursor with your parcels.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, run } from './api.mjs';

const { BASE_URL, API_KEY } = process.env;
const owner = createHash('sha256').update(`${BASE_URL} ${API_KEY}`).digest('hex').slice(0, 16);
const { CURSOR_FILE = join(tmpdir(), `events-cursor-${owner}`) } = process.env;

const list = (cursor) => call('GET', `/events?limit=100${cursor && `&after=${encodeURIComponent(cursor)}`}`);

/**
 * After a failover of the service, a cursor may be ahead of it: 409 says where to go on. Some events may come again.
 */
const pageAfter = (cursor) =>
  list(cursor).catch((error) => {
    if (error.code !== 409) throw error;
    // Nothing was read for a month: to learn what was missed, read how the parcels stand now (GET /shipments).
    if (error.data.events_removed) console.error(error.message);
    return list(error.data.next_cursor);
  });

run(async () => {
  let cursor = existsSync(CURSOR_FILE) ? readFileSync(CURSOR_FILE, 'utf8').trim() : '';
  console.log(cursor ? `continuing after ${cursor}` : 'reading from the beginning');
  let count = 0;
  for (let more = true; more; ) {
    const page = await pageAfter(cursor);
    for (const { event, created_at, data } of page.events) {
      // The same as for a push: skip what you have, apply what is new.
      console.log(`  ${created_at}  ${data.tracking_number} #${data.seq} ${event}: ${data.status}`);
    }
    count += page.events.length;
    cursor = page.next_cursor ?? cursor;
    // Only after a page has been processed: a crash then repeats a page, and loses none.
    writeFileSync(CURSOR_FILE, cursor);
    more = page.has_more;
  }
  console.log(`${count} events, up to date; the position is in ${CURSOR_FILE}`);
});
