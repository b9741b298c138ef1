import { randomInt } from 'node:crypto';
import { command } from '../command-line/command.ts';
import { readSmokeOptions, SMOKE_OPTIONS } from '../smoke/options.ts';
import { runSmoke } from '../smoke/run.ts';

/** A new parcel of the sandbox carrier, delivered after 20 seconds. */
function freshNumber(): string {
  return `SBXEXPRESS${Array.from({ length: 14 }, () => randomInt(10)).join('')}`;
}

export const smoke = command({
  name: 'smoke',
  takes: [],
  options: SMOKE_OPTIONS,
  secrets: { 'api-key': 'API_KEY' },
  about:
    'Test a deployment as a client would, from registering a parcel to its signed pushes. Uses BASE_URL and API_KEY,' +
    ' or the service of npm start.',
  async run(context, input) {
    const { number, ...options } = readSmokeOptions(context, input);
    const parcel = { number: number ?? freshNumber(), isFresh: number === null };
    context.out(`Testing ${options.baseUrl} with ${parcel.number}`);
    return await runSmoke({ ...options, parcel, pollMs: 2000, graceMs: 10_000, out: context.out });
  },
});
