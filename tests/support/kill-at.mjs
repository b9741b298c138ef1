// Loaded into a process before its program (`--import`): kills it at the n-th place of a piece of work at which it
// waits for the outside world. A place is a message that a connection sends, before it leaves, or one that it receives,
// before anybody reads it. They count from the first message on that contains the text of the plan, which is read from
// the file KILL_PLAN: {"app": "carrier-poller", "about": "<text>", "at": 3}.
import { readFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename } from 'node:path';

const app = basename(process.argv[1] ?? '', '.mjs');
/** By connection: what was sent last, and the texts of prepared statements by their names. */
const connections = new WeakMap();
let places = 0;

const { _write, _writev, push } = Socket.prototype;
Object.assign(Socket.prototype, {
  _write(chunk, encoding, done) {
    reach(this, Buffer.from(chunk, encoding), false);
    _write.call(this, chunk, encoding, done);
  },
  _writev(chunks, done) {
    reach(this, Buffer.concat(chunks.map(({ chunk, encoding }) => Buffer.from(chunk, encoding))), false);
    _writev.call(this, chunks, done);
  },
  push(chunk, encoding) {
    if (chunk) reach(this, chunk, true);
    return push.call(this, chunk, encoding);
  },
});

function reach(socket, bytes, isReceived) {
  if (!connections.has(socket)) connections.set(socket, { last: '', statements: new Map() });
  const connection = connections.get(socket);
  if (!isReceived) connection.last = nameOf(bytes, connection.statements) ?? connection.last;
  const plan = currentPlan();
  if (plan?.app !== app || (places === 0 && !bytes.includes(plan.about))) return;
  places += 1;
  if (places < plan.at) return;
  writeSync(1, `killed ${isReceived ? 'at the answer to' : 'before'} ${connection.last}\n`);
  process.kill(process.pid, 'SIGKILL');
}

function currentPlan() {
  try {
    return JSON.parse(readFileSync(process.env.KILL_PLAN ?? '', 'utf8'));
  } catch {
    return null;
  }
}

/** A short name of a message to Redis, PostgreSQL or an HTTP server or client. */
function nameOf(bytes, statements) {
  const text = bytes.toString('latin1');
  const redis = /^\*\d+\r\n\$\d+\r\n(\w+)/.exec(text);
  if (redis) return `Redis ${redis[1].toUpperCase()}`;
  const http = /^(?:([A-Z]+) \S+ )?HTTP\/1\.1(?: (\d+))?/.exec(text);
  if (http) return http[1] ? `${http[1]} over HTTP` : `the response ${http[2]}`;
  // Messages of PostgreSQL have a type and a length. Parse names a statement, and Bind uses its name.
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const [type, first = '', second = ''] = [text[at], ...text.slice(at + 5).split('\0', 2)];
    if (type === 'Q') return nameOfStatement(first);
    if (type === 'P') statements.set(first, nameOfStatement(second));
    else if (type === 'B') return statements.get(second);
    else if (type === '\0') return 'the start of a session';
  }
  return undefined;
}

function nameOfStatement(sql) {
  const tables = (pattern) => [...new Set([...sql.matchAll(pattern)].map(([, verb, table]) => `${verb} ${table}`))];
  const writes = tables(/(?<!FOR )\b(INSERT INTO|UPDATE|DELETE FROM) (?:"?\w+"?\.)?"?(\w+)/g);
  const [read = sql.trim().slice(0, 40)] = tables(/(?<!DELETE )\b(FROM) "?\w+"?\."?(\w+)/g);
  return writes.length > 0 ? writes.join(', ') : read.replace(/^FROM/, 'SELECT FROM');
}
