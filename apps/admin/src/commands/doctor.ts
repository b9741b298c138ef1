import { command } from '../command-line/command.ts';
import { UsageError } from '../command-line/problem.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { storeEnv } from '../standalone.ts';

const MARKS: Record<Finding['state'], string> = { ok: 'ok      ', advice: 'advice  ', problem: 'PROBLEM ' };

const ROLLED_OUT = { fleet: { apis: 2, pollers: 2, dispatchers: 2 }, surge: 1 };
/** `npm start` runs one process of each, and replaces none. */
const STANDALONE = { fleet: { apis: 1, pollers: 1, dispatchers: 1 }, surge: 0 };

export const doctor = command({
  name: 'doctor',
  takes: [],
  options: {
    fleet: {
      value: 'A,P,D',
      about:
        'How many API, poller and dispatcher processes may run, for the connection budget (2,2,2; beside npm start 1,1,1).',
    },
    online: { about: 'Also call each provider that is on once, with the credentials of this environment.' },
  },
  about:
    'Look for what is wrong with the installation, and say how to fix it. It changes nothing; run it with the environment of the services.',
  async run(context, { fleet, online: isOnline }) {
    const { now } = context;
    const env = storeEnv(context);
    const usual = env === context.env ? ROLLED_OUT : STANDALONE;
    const findings = await examine({ env, ...usual, ...(fleet && { fleet: readFleet(fleet) }), isOnline, now });
    const problems = findings.filter(({ state }) => state === 'problem').length;
    return {
      lines: [...findings.flatMap(inLines), '', problems === 0 ? 'No problem found.' : `Problems: ${problems}.`],
      json: { problems, findings },
      failed: problems > 0,
    };
  },
});

function inLines({ check, state, what, fix }: Finding): string[] {
  const line = `${MARKS[state]}${check}: ${what}`;
  return fix === undefined ? [line] : [line, `        → ${fix}`];
}

/** @throws UsageError */
function readFleet(text: string) {
  const [, apis, pollers, dispatchers] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text) ?? [];
  if (apis === undefined) throw new UsageError(`--fleet must be three numbers such as 20,3,3, not "${text}".`);
  return { apis: Number(apis), pollers: Number(pollers), dispatchers: Number(dispatchers) };
}
