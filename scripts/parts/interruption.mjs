import { endRuns, killRuns } from './lib.mjs';
import { releaseLocks } from './lock.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** npm forwards the Ctrl-C that the terminal also sent: a second signal this soon is the same one. */
const SAME_KEYPRESS_MS = 1000;

let interruptedAt;

/** Whether the process was asked to stop: errors from now on are its consequence. */
export function isInterrupted() {
  return interruptedAt !== undefined;
}

/** Runs `work`. A signal in that time ends its child processes, releases its locks and ends the process as asked. */
export async function interruptible(out, work) {
  const onSignal = (signal) => void interrupt(signal, out, quit);
  const ignore = () => {}; // the terminal may be closed, so that nothing reads the output
  const listen = () => {
    for (const signal of SIGNALS) process.on(signal, onSignal);
    out.on('error', ignore);
  };
  const quit = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    out.off('error', ignore);
  };
  listen();
  try {
    const result = await work();
    if (!isInterrupted()) return result;
  } catch (error) {
    if (!isInterrupted()) throw error;
  } finally {
    if (!isInterrupted()) quit();
  }
  // The signal's handler ends the process.
  return await new Promise(() => {});
}

async function interrupt(signal, out, quit) {
  const now = performance.now();
  if (isInterrupted()) return now - interruptedAt < SAME_KEYPRESS_MS ? undefined : killRuns();
  interruptedAt = now;
  out.write(`\n${signal}: stopping the set-up; the next command repeats this step\n`);
  const keepAlive = setInterval(() => {}, 1000);
  await endRuns();
  clearInterval(keepAlive);
  releaseLocks();
  quit();
  // Ended by the signal itself, as npm and shells expect of an interrupted process.
  if (process.platform === 'win32') process.exit(1);
  process.kill(process.pid, signal);
}
