import { skewDate } from '@pts/testing/skewed-date';

// Loaded into a process before its program: sets the clock of its machine wrong when it is told to, in milliseconds.
let restore = () => {};
process.on('message', (message: { skewMs?: number }) => {
  if (message.skewMs === undefined) return;
  restore();
  restore = message.skewMs === 0 ? () => {} : skewDate(message.skewMs);
});
// The channel must not keep a process running that is done.
process.channel?.unref();
process.on('disconnect', () => process.exit());
