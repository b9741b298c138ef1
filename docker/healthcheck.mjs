// The images' health check: node healthcheck.mjs <path> <variable that holds the port>; exit 0 when the answer is 2xx.
// Images ask for liveness: a platform that kills unhealthy containers must not kill them because a database is away.
//
// Docker itself does nothing about an unhealthy container. With a third argument, the number of times in a row that
// /healthz may fail once it has succeeded, this ends the container, for its restart policy: SIGTERM first; next time,
// SIGKILL for what the container's init runs. A fourth argument replaces 1, the process that the container consists of.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [path, portVariable, mostFailures, mainProcess = '1'] = process.argv.slice(2);
/** In memory (Compose): a new container starts the count at zero. */
const FAILURES = join(tmpdir(), 'failures-of-healthz');

/** Where the management port listens. On all addresses, if nothing else is said, and then on this one, too. */
function host() {
  const hostVariable = 'MANAGEMENT_HOST';
  const given = portVariable === 'MANAGEMENT_PORT' ? (process.env[hostVariable] ?? '').trim() : '';
  if (['', '0.0.0.0', '::'].includes(given)) return '127.0.0.1';
  return given.includes(':') ? `[${given}]` : given;
}

async function succeeds(requested) {
  const url = `http://${host()}:${process.env[portVariable]}${requested}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    console.log(`${url} answered ${response.status}`);
    return response.ok;
  } catch (error) {
    console.error(`${url} did not answer: ${error.cause?.code ?? error.message}`);
    return false;
  }
}

/** In a row, since the last success; null before the first one: a process may take long to start. */
function failuresSoFar() {
  try {
    return Number(readFileSync(FAILURES, 'utf8'));
  } catch {
    return null;
  }
}

function endAfter(failures) {
  writeFileSync(FAILURES, String(failures));
  if (failures < Number(mostFailures)) return;
  const isStuck = failures > Number(mostFailures);
  for (const pid of isStuck ? childrenOf(mainProcess) : [mainProcess]) {
    console.error(`/healthz failed ${failures} times: ending process ${pid}`);
    process.kill(Number(pid), isStuck ? 'SIGKILL' : 'SIGTERM');
  }
}

function childrenOf(parent) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nPPid:\t${parent}\n`);
    } catch {
      return false; // it has ended
    }
  });
}

const restarts = mostFailures !== undefined;
const [isHealthy, isAlive] = await Promise.all([path, ...(restarts ? ['/healthz'] : [])].map(succeeds));
process.exitCode = isHealthy ? 0 : 1;
if (restarts) {
  const before = failuresSoFar();
  if (isAlive) writeFileSync(FAILURES, '0');
  else if (before !== null) endAfter(before + 1);
}
