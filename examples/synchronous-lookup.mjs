// Under 100 parcels a day: register one, give the carrier a few seconds, read it.
//   node examples/synchronous-lookup.mjs [tracking number]
import { call, numbersToTrack, run, sleep } from './api.mjs';

run(async () => {
  const [number] = numbersToTrack(1);

  // Safe to repeat: for a registered number, the existing tracking is returned, and it is not charged again.
  const created = await call('POST', '/trackings/create', { tracking_number: number });
  console.log(`registered ${created.tracking_number} with ${created.carrier}: ${created.id}`);

  // A carrier takes 3 to 15 seconds to answer. Check three times, 5 seconds apart, not more often.
  for (let look = 1; look <= 3; look += 1) {
    await sleep(5);
    const { success } = await call(
      'GET',
      `/trackings/get?tracking_numbers=${encodeURIComponent(created.tracking_number)}`,
    );
    const tracking = success.find(({ id }) => id === created.id);
    if (tracking.events.length === 0 && look < 3) continue;

    console.log(`${tracking.tracking_number} is ${tracking.status} (${tracking.sub_status})`);
    for (const { time, location, description } of tracking.events)
      console.log(`  ${time}  ${location}  ${description}`);
    if (tracking.events.length === 0)
      console.log('  The carrier has no data yet. New numbers may take an hour or two.');
    break;
  }
});
