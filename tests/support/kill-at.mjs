// Loaded into a process before its program (`--import`): kills it at the n-th place of a piece of work at which it
// waits for the outside world, or at the first one of a name. A place is a message that a connection sends, before it
// leaves, or one that it receives, before anybody reads it. They count, and are printed, from the first message on that
// contains the text of the plan. That is in the file of `?plan=`: {"app": "api", "about": "<text>", "at": 3}.
import { readFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename } from 'node:path';

const planFile = new URL(import.meta.url).searchParams.get('plan');
const app = basename(process.argv[1] ?? '', '.mjs');
/** By connection: what was sent last, and the texts of prepared statements by their names. */
const connections = new WeakMap();
let about = '';
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
  if (socket.remotePort === undefined) return; // the log
  if (!connections.has(socket)) connections.set(socket, { last: '', statements: new Map() });
  const connection = connections.get(socket);
  if (!isReceived) connection.last = nameOf(bytes, connection.statements) ?? (connection.last || 'a message');
  const plan = currentPlan();
  if (plan?.app !== app) return;
  if (about !== plan.about && !bytes.includes(plan.about)) return;
  places = about === plan.about ? places + 1 : 1;
  about = plan.about;
  const place = `${isReceived ? 'answer to' : 'before'} ${connection.last}`;
  writeSync(1, `\nplace of ${about}: ${place}\n`);
  if (plan.at === places || plan.at === place) process.kill(process.pid, 'SIGKILL');
}

function currentPlan() {
  try {
    return JSON.parse(readFileSync(planFile, 'utf8'));
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
  let prepared;
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const [type, first = '', second = ''] = [text[at], ...text.slice(at + 5).split('\0', 2)];
    if (type === 'Q') return nameOfStatement(first);
    if (type === 'B') return statements.get(second);
    if (type === '\0') return 'the start of a session';
    if (type === 'P') {
      prepared = nameOfStatement(second);
      statements.set(first, prepared);
    }
  }
  return prepared;
}

function nameOfStatement(text) {
  const sql = text.replace(/^\s*--.*\n/gm, '');
  const tables = (pattern) => [...new Set([...sql.matchAll(pattern)].map(([, verb, table]) => `${verb} ${table}`))];
  const writes = tables(/(?<!FOR |DO )\b(INSERT INTO|UPDATE|DELETE FROM) (?:"?\w+"?\.)?"?(\w+)/g);
  const [read = sql.trim().slice(0, 40)] = tables(/\b(FROM) (?:"?public"?\.)"?(\w+)/g);
  return writes.length > 0 ? writes.slice(0, 2).join(', ') : read.replace(/^FROM/, 'SELECT FROM');
}
