/** What a unit of work costs, as measured: microseconds of CPU, bytes of WAL, and bytes of disk with indexes. */
export type Units = {
  check: { pollerUs: number; postgresUs: number; redisUs: number; walBytes: number };
  /** An event with its push and its attempt. `cpuUs` is that of all processes and servers, of which `postgresUs` is a part. */
  event: { cpuUs: number; postgresUs: number; walBytes: number };
  rows: { trackingBytes: number; checkBytes: number; messageBytes: number; attemptBytes: number };
};

/** What is read of docs/benchmarks.md: it must stay there, the rows of `engine` with all their columns. */
export const LINES = {
  quiet: /^\| 3,000,000 \| – \|.*/m,
  busy: /^\| 1,000,000 \| (\d+) registrations and (\d+) deliveries a second \|.*/m,
  redis: /a check costs the poller \d+ µs, PostgreSQL \d+, Redis (\d+)/,
  event: /^\| event cpu at 100\/s \| [\d.]+–([\d.]+) ms/m,
  trackings: /^\| `trackings` \| ([\d.]+) KB \|/m,
  checks: /^\| `checks` \| ([\d.]+) KB \|/m,
  messages: /^\| `messages` \| ([\d.]+) KB \|/m,
  attempts: /^\| `delivery_attempts` \| ([\d.]+) KB \|/m,
};
type Line = keyof typeof LINES;

/**
 * Reads the units from docs/benchmarks.md. An event's share is what the run of `engine` with other load needs more than its checks,
 * so it contains the registrations, too. @throws if a line is missing
 */
export function readUnits(benchmarks: string): Units {
  const find = (line: Line) => {
    const found = LINES[line].exec(benchmarks);
    if (!found) throw new Error(`docs/benchmarks.md has no line like ${LINES[line]}, of which docs/scaling.md is made`);
    return found;
  };
  const number = (line: Line) => Number(find(line)[1]);
  const quiet = columnsOf(find('quiet')[0]);
  const [row, registrations, deliveries] = find('busy');
  const busy = columnsOf(row);
  const check = {
    pollerUs: (quiet.pollerCores / quiet.checks) * 1e6,
    postgresUs: (quiet.postgresCores / quiet.checks) * 1e6,
    redisUs: number('redis'),
    walBytes: quiet.walBytes,
  };
  const events = Number(registrations) + Number(deliveries);
  return {
    check,
    event: {
      cpuUs: number('event') * 1000,
      postgresUs: (busy.postgresCores * 1e6 - busy.checks * check.postgresUs) / events,
      walBytes: (busy.checks * (busy.walBytes - check.walBytes)) / events,
    },
    rows: {
      trackingBytes: number('trackings') * 1000,
      checkBytes: number('checks') * 1000,
      messageBytes: number('messages') * 1000,
      attemptBytes: number('attempts') * 1000,
    },
  };
}

/** Of a row of `engine`. */
function columnsOf(row: string) {
  const [, , , checks = '', , poller = '', postgres = '', , , wal = ''] = row.split('|');
  const read = (cell: string) => Number.parseFloat(cell.trim().replaceAll(',', ''));
  return { checks: read(checks), pollerCores: read(poller), postgresCores: read(postgres), walBytes: read(wal) };
}
