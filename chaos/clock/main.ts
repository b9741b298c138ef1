import { skewDate } from '@pts/testing/clock';

// Loaded into a process before its program: sets its clock wrong by the milliseconds that it receives.
let restore = () => {};
process.on('message', (message: { skewMs?: number }) => {
  if (message.skewMs === undefined) return;
  restore();
  restore = message.skewMs === 0 ? () => {} : skewDate(message.skewMs);
});
// The channel must not keep a finished process running.
process.channel?.unref();
process.on('disconnect', () => process.exit());
