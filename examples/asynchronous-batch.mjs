// 100 to 10,000 parcels a day: submit them 40 at a time, then poll the list of shipments, not each parcel.
//   node examples/asynchronous-batch.mjs [tracking number …]
import { call, numbersToTrack, run, sleep } from './api.mjs';

const CHUNK = 40;
const POLL_SECONDS = 5; // here; a few minutes will do for real parcels
const DONE = ['delivered', 'returned', 'expired'];

run(async () => {
  const numbers = numbersToTrack(45);

  const pollUrls = [];
  for (let from = 0; from < numbers.length; from += CHUNK) {
    const chunk = numbers.slice(from, from + CHUNK);
    const { accepted, poll_url, error } = await call('POST', '/track/async', { tracking_numbers: chunk });
    console.log(`accepted ${accepted} of ${chunk.length}`);
    // A faulty number does not delay the others. 4120 to 4122 need a courier_code or another field, 4110 another
    // number.
    for (const { tracking_number, errorCode, errorMessage } of error) {
      console.log(`  ${tracking_number}: ${errorCode} ${errorMessage}`);
    }
    if (accepted > 0) pollUrls.push(poll_url);
  }

  // Each poll_url lists just the parcels of its chunk.
  for (let open = pollUrls; open.length > 0; ) {
    await sleep(POLL_SECONDS);
    const counts = {};
    const stillOpen = [];
    for (const pollUrl of open) {
      const shipments = await readAll(pollUrl);
      for (const { status } of shipments) counts[status] = (counts[status] ?? 0) + 1;
      if (!shipments.every(({ sub_status }) => DONE.includes(sub_status))) stillOpen.push(pollUrl);
    }
    console.log(
      Object.entries(counts)
        .map(([status, count]) => `${status} ${count}`)
        .join(', '),
    );
    open = stillOpen;
  }
  console.log(pollUrls.length > 0 ? 'all accepted parcels have arrived' : 'no parcel was accepted');
});

/** All pages of a list, in an order in which no tracking moves when it changes meanwhile. */
async function readAll(pollUrl) {
  const shipments = [];
  for (let cursor = ''; cursor !== null; ) {
    const page = await call('GET', `${pollUrl}&sort=-created_at&limit=200${cursor && `&cursor=${cursor}`}`);
    shipments.push(...page.shipments);
    cursor = page.next_cursor;
  }
  return shipments;
}
