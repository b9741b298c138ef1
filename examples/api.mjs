// What all examples share: where the service is, the key, and one request. Copy it with the example you need.

const { BASE_URL: address, API_KEY } = process.env;
const BASE_URL = address?.replace(/\/$/, '');
if (!BASE_URL || !API_KEY) {
  console.error(
    'Set BASE_URL and API_KEY, for example:\n  BASE_URL=http://127.0.0.1:8080 API_KEY=tk_… node examples/<name>.mjs',
  );
  process.exit(2);
}

/** How often a request is sent again when the service or the network fails. */
const RETRIES = 4;

/**
 * Sends one request and returns the `data` of its response. A 429 is waited out as long as Retry-After says. Faults of
 * the service and of the network are retried with growing pauses: reading is safe to repeat, and so is registering
 * numbers, which are charged once. For anything else pass `repeat: false`.
 */
export async function call(method, path, body, { repeat = true } = {}) {
  // A poll_url is absolute. The key goes to our own BASE_URL and nowhere else.
  const url = path.startsWith('http')
    ? new URL(BASE_URL).origin + path.slice(new URL(path).origin.length)
    : `${BASE_URL}/api/v1${path}`;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send(method, url, body);
    // The last request that this second has room for: continuing at once would cost a 429, and two minutes.
    if (answer.isLast) await sleep(answer.resetSeconds);
    if (answer.code === 200) return answer.data;
    const mayRepeat = answer.status === 429 || (repeat && (answer.status === 0 || answer.status >= 500));
    if (!mayRepeat || attempt > RETRIES) throw new ApiError(answer);
    // Spread at random: many clients that failed together should not retry together.
    const seconds = answer.retryAfter || 2 ** (attempt - 1) * Math.random();
    console.log(`${method} ${new URL(url).pathname}: ${answer.message} Retrying in ${seconds.toFixed(1)} s.`);
    await sleep(seconds);
  }
}

async function send(method, url, body) {
  const headers = { 'X-API-Key': API_KEY, ...(body ? { 'Content-Type': 'application/json' } : {}) };
  try {
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(url, {
      method,
      headers,
      body: body && JSON.stringify(body),
      redirect: 'manual',
      signal,
    });
    const { status, headers: received } = response;
    return {
      ...parse(await response.text()),
      status,
      retryAfter: Number(received.get('retry-after')) || (status === 429 ? 120 : 0),
      isLast: status !== 429 && received.get('ratelimit-remaining') === '0',
      resetSeconds: Number(received.get('ratelimit-reset')),
    };
  } catch (error) {
    return { code: 0, status: 0, message: `No response: ${error.cause?.code ?? error.message}.` };
  }
}

/** A proxy's page is not JSON. */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { code: 0, message: `This is not a response of the service: ${text.slice(0, 80)}` };
  }
}

/** The error's number is in `code`: 4102 not registered, 4190 quota used up … Some say more in `data`. */
export class ApiError extends Error {
  constructor({ code, message, data }) {
    super(`${code ? `${code}: ` : ''}${message}`);
    this.code = code;
    this.data = data;
  }
}

export const sleep = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/** `count` new numbers of the sandbox carrier; each is delivered after 20 seconds. */
export function sandboxNumbers(count) {
  const start = Date.now() * 1000 + Math.floor(Math.random() * 1000);
  return Array.from({ length: count }, (_, i) => `SBXEXPRESS${start + i}`);
}

/** The numbers on the command line, or else some of the sandbox carrier's. */
export function numbersToTrack(count) {
  const given = process.argv.slice(2);
  return given.length > 0 ? given : sandboxNumbers(count);
}

/** Runs an example and prints any failure in one line. */
export async function run(example) {
  try {
    await example();
  } catch (error) {
    console.error(error instanceof ApiError || error.code ? error.message : error);
    process.exitCode = 1;
  }
}
