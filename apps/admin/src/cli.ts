import {
  adviceOnUsage,
  CommandError,
  INTERRUPTED,
  isAbort,
  type Program,
  parse,
  UsageError,
} from '@pts/client/cli/kit';
import { forTerminal, jsonForTerminal } from '@pts/core/terminal';
import { messageOf } from '@pts/db/errors';
import { VERSION } from '@pts/runtime/metrics';
import { ConfigError } from '@pts/runtime/settings/config';
import type { Command, Context, Report } from './command.ts';
import { accounts } from './commands/accounts.ts';
import { audit } from './commands/audit.ts';
import { carriers } from './commands/carriers.ts';
import { deliveries } from './commands/deliveries.ts';
import { doctor } from './commands/doctor.ts';
import { keys } from './commands/keys.ts';
import { members } from './commands/members.ts';
import { migrate } from './commands/migrate.ts';
import { operatorKeys } from './commands/operator-keys.ts';
import { providers } from './commands/providers.ts';
import { queues } from './commands/queues.ts';
import { trackings } from './commands/trackings.ts';
import { webhooks } from './commands/webhooks.ts';
import { receiverCheck } from './receiver/check.ts';
import { receiver } from './receiver/receiver.ts';
import { smoke } from './smoke.ts';

/** Every command, in the order of the help text. */
const commands: readonly Command[] = [
  ...accounts,
  ...audit,
  ...keys,
  ...members,
  ...operatorKeys,
  ...trackings,
  ...webhooks,
  ...deliveries,
  ...providers,
  ...queues,
  ...carriers,
  doctor,
  migrate,
  smoke,
  receiver,
  receiverCheck,
];

type Stream = { write(text: string): unknown; isTTY?: boolean };
type Surroundings = Pick<Context, 'env' | 'root' | 'now' | 'interrupted' | 'askSecret' | 'input'> & {
  stdout: Stream;
  stderr: Stream;
};

/** The command line of operators. */
export const admin: Program<Command> = {
  name: 'npm run admin --',
  version: VERSION,
  commands,
  secretsBelong: '',
  notes: `With --json, run it as npm run --silent admin -- …, because npm itself also prints to stdout.
The database is DATABASE_URL or, if that is not set, the database of the service that npm start runs.
Exit codes: 0 success, 1 failure, 2 invalid command line, ${INTERRUPTED} ended with Ctrl-C`,
};

/** Runs one command line. @returns the exit code: 0 success, 1 failure, 2 invalid command line. */
export async function runCli(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const json = argv.includes('--json');
  try {
    const requested = parse(argv, admin);
    if (requested.kind === 'text') {
      stdout.write(requested.text);
      return 0;
    }
    const report: Report = await requested.command.run(contextOf(surroundings, json), requested.input as never);
    const text = json
      ? jsonForTerminal(JSON.stringify(report.json, null, 2) ?? '')
      : forTerminal(report.lines.join('\n'));
    if (text) stdout.write(`${text}\n`);
    if (report.fault !== undefined) throw new CommandError(report.fault);
    return report.failed ? 1 : 0;
  } catch (error) {
    if (isAbort(error)) return INTERRUPTED;
    stderr.write(
      json
        ? jsonForTerminal(`${JSON.stringify({ error: { message: messageOf(error) } })}\n`)
        : forTerminal(explain(error)),
    );
    return error instanceof CommandError ? error.exit : 1;
  }
}

function contextOf(surroundings: Surroundings, isJson: boolean): Context {
  const { stdout, stderr, ...given } = surroundings;
  const silent = () => {};
  return {
    ...given,
    isJson,
    // The receiver colours its lines, after cleaning what it shows.
    out: isJson ? silent : (line) => void stdout.write(`${line}\n`),
    note: isJson ? silent : (line) => void stderr.write(`${forTerminal(line)}\n`),
    line: (text) => void stdout.write(`${jsonForTerminal(text)}\n`),
    isTerminal: stdout.isTTY === true,
  };
}

/** Internal errors with their stack; problems that the operator can fix without. */
function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n${adviceOnUsage(admin)}\n`;
  const known = error instanceof CommandError || error instanceof ConfigError;
  if (known || !(error instanceof Error)) return `${messageOf(error)}\n`;
  return `${error.stack ?? error.message}\n`;
}
