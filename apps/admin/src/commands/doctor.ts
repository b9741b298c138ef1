import { command } from '../command-line/command.ts';
import { UsageError } from '../command-line/problem.ts';
import { examine } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { storeEnv } from '../standalone.ts';

const MARKS: Record<Finding['state'], string> = { ok: 'ok      ', advice: 'advice  ', problem: 'PROBLEM ' };

export const doctor = command({
  name: 'doctor',
  takes: [],
  options: {
    fleet: {
      value: 'A,P,D',
      about: 'How many API, poller and dispatcher processes may run, for the connection budget (2,2,2).',
    },
    online: { about: 'Also call each provider that is on once, with the credentials of this environment.' },
  },
  about:
    'Look for what is wrong with the installation, and say how to fix it. It changes nothing; run it with the environment of the services.',
  async run(context, { fleet = '2,2,2', online: isOnline }) {
    const { now } = context;
    const findings = await examine({ env: storeEnv(context), fleet: readFleet(fleet), isOnline, now });
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
