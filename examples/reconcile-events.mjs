// Catch up on missed events: after an outage on your side, or once a day to be sure that nothing was lost.
//   node examples/reconcile-events.mjs
// CURSOR_FILE  stores your position; .events-cursor if not set. Without the file, all stored events are read.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { call, run } from './api.mjs';

const { CURSOR_FILE = '.events-cursor' } = process.env;

run(async () => {
  let cursor = existsSync(CURSOR_FILE) ? readFileSync(CURSOR_FILE, 'utf8').trim() : '';
  console.log(cursor ? `reading on after ${cursor}` : 'reading from the beginning');
  let count = 0;
  for (let more = true; more; ) {
    const page = await call('GET', `/events?limit=100${cursor && `&after=${encodeURIComponent(cursor)}`}`);
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
  console.log(`${count} events, up to date`);
});
