/** What a unit of work costs, as measured: microseconds of CPU, bytes of WAL, and bytes of disk with indexes. */
export type Units = {
  check: { pollerUs: number; postgresUs: number; redisUs: number; walBytes: number };
  /** An event with its push and its attempt. `cpuUs` is that of all processes and servers, of which `postgresUs` is a part. */
  event: { cpuUs: number; postgresUs: number; walBytes: number };
  rows: { trackingBytes: number; checkBytes: number; messageBytes: number; attemptBytes: number };
};

/**
 * Reads the units from the tables of docs/benchmarks.md. An event's share is what the run of `engine` with other load needs more
 * than its checks, so it contains the registrations, too. @throws if a row is missing
 */
export function readUnits(benchmarks: string): Units {
  const quiet = engineRow(benchmarks, /^\| 3,000,000 \| – \|/m);
  const busy = engineRow(benchmarks, /^\| 1,000,000 \| \d+ registrations and \d+ deliveries a second \|/m);
  const check = {
    pollerUs: (quiet.pollerCores / quiet.checks) * 1e6,
    postgresUs: (quiet.postgresCores / quiet.checks) * 1e6,
    redisUs: number(benchmarks, /a check costs the poller \d+ µs, PostgreSQL \d+, Redis (\d+)/),
    walBytes: quiet.walBytes,
  };
  const [, registrations, deliveries] = matchIn(
    benchmarks,
    /^\| 1,000,000 \| (\d+) registrations and (\d+) deliveries a second \|/m,
  );
  const events = Number(registrations) + Number(deliveries);
  return {
    check,
    event: {
      cpuUs: number(benchmarks, /^\| event cpu at 100\/s \|[^|]*\| [\d.]+–([\d.]+) ms/m) * 1000,
      postgresUs: (busy.postgresCores * 1e6 - busy.checks * check.postgresUs) / events,
      walBytes: (busy.checks * (busy.walBytes - check.walBytes)) / events,
    },
    rows: {
      trackingBytes: kilobytes(benchmarks, 'trackings'),
      checkBytes: kilobytes(benchmarks, 'checks'),
      messageBytes: kilobytes(benchmarks, 'messages'),
      attemptBytes: kilobytes(benchmarks, 'delivery_attempts'),
    },
  };
}

function engineRow(text: string, start: RegExp) {
  const at = text.search(start);
  if (at < 0) throw new Error(`docs/benchmarks.md has no row like ${start}`);
  const [, , , checks = '', , poller = '', postgres = '', , , wal = ''] = text
    .slice(at, text.indexOf('\n', at))
    .split('|')
    .map((cell) => cell.trim());
  const read = (cell: string) => Number.parseFloat(cell.replaceAll(',', ''));
  return { checks: read(checks), pollerCores: read(poller), postgresCores: read(postgres), walBytes: read(wal) };
}

/** A row of the table of sizes. */
function kilobytes(text: string, table: string): number {
  return number(text, new RegExp(`^\\| \`${table}\` \\| ([\\d.]+) KB \\|`, 'm')) * 1000;
}

function number(text: string, pattern: RegExp): number {
  return Number(matchIn(text, pattern)[1]);
}

function matchIn(text: string, pattern: RegExp): RegExpExecArray {
  const found = pattern.exec(text);
  if (!found) throw new Error(`docs/benchmarks.md has nothing like ${pattern}`);
  return found;
}
