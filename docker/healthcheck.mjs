// The images' health check: node healthcheck.mjs <path> <variable that holds the port>; exit 0 when the answer is 2xx.
// Images ask for liveness: a platform that kills unhealthy containers must not kill them because a database is away.
const [path, portVariable] = process.argv.slice(2);
const url = `http://${host()}:${process.env[portVariable]}${path}`;

/** Where the management port listens. On all addresses, if nothing else is said, and then on this one, too. */
function host() {
  const hostVariable = 'MANAGEMENT_HOST';
  const given = portVariable === 'MANAGEMENT_PORT' ? (process.env[hostVariable] ?? '').trim() : '';
  if (['', '0.0.0.0', '::'].includes(given)) return '127.0.0.1';
  return given.includes(':') ? `[${given}]` : given;
}

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  console.log(`${url} answered ${response.status}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.error(`${url} did not answer: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}
