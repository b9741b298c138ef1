// Loaded into a process before its program (`--import`): kills it at a place of a piece of work at which it waits for
// the outside world. A place is a message that a connection sends, before it leaves, or one that it receives, before
// anybody reads it. Places are printed from the first message on that contains the text of the plan, which is in the
// file of `?plan=`: {"app": "api", "about": "<text>", "at": "before INSERT INTO trackings"}.
import { readFileSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { basename } from 'node:path';

const planFile = new URL(import.meta.url).searchParams.get('plan');
const app = basename(process.argv[1] ?? '', '.mjs');
/** By connection: what was sent last, the last statement of its transaction, and prepared statements by their names. */
const connections = new WeakMap();
let about = null;

const { _write, _writev, push } = Socket.prototype;
Object.assign(Socket.prototype, {
  _write(chunk, encoding, done) {
    send(this, Buffer.from(chunk, encoding));
    _write.call(this, chunk, encoding, done);
  },
  _writev(chunks, done) {
    send(this, Buffer.concat(chunks.map(({ chunk, encoding }) => Buffer.from(chunk, encoding))));
    _writev.call(this, chunks, done);
  },
  push(chunk, encoding) {
    if (chunk) reach(this, chunk, true);
    return push.call(this, chunk, encoding);
  },
});

/** What is written to a socket that is still connecting leaves once it is connected. */
function send(socket, bytes) {
  if (socket.connecting) socket.once('connect', () => reach(socket, bytes, false));
  else reach(socket, bytes, false);
}

function reach(socket, bytes, isReceived) {
  if (socket.remotePort === undefined) return; // the log
  if (!connections.has(socket)) connections.set(socket, { last: '', statement: '', statements: new Map() });
  const connection = connections.get(socket);
  if (!isReceived) connection.last = nameOf(bytes, connection) ?? (connection.last || 'a message');
  const plan = currentPlan();
  if (plan?.app !== app) return;
  if (about !== plan.about && !bytes.includes(plan.about)) return;
  about = plan.about;
  const sent = isReceived ? 'answer to' : 'before';
  const place = connection.last === '' ? 'an incoming message' : `${sent} ${connection.last}`;
  writeSync(1, `\nplace of ${about}: ${place}\n`);
  if (plan.at === place) process.kill(process.pid, 'SIGKILL');
}

function currentPlan() {
  try {
    return JSON.parse(readFileSync(planFile, 'utf8'));
  } catch {
    return null;
  }
}

/** A short name of a message to Redis, PostgreSQL or an HTTP server or client. */
function nameOf(bytes, connection) {
  const text = bytes.toString('latin1');
  const redis = /^\*\d+\r\n\$\d+\r\n(\w+)/.exec(text);
  if (redis) return `Redis ${redis[1].toUpperCase()}`;
  const http = /^(?:([A-Z]+) \S+ )?HTTP\/1\.1(?: (\d+))?/.exec(text);
  if (http) return http[1] ? `${http[1]} over HTTP` : `response ${http[2]}`;
  // Messages of PostgreSQL have a type and a length. Parse names a statement, and Bind uses its name.
  let prepared;
  for (let at = 0; at + 5 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    const [type, first = '', second = ''] = [text[at], ...text.slice(at + 5).split('\0', 2)];
    if (type === '\0') return 'start of a session';
    if (type === 'Q') return inTransaction(nameOfStatement(first), connection);
    if (type === 'B') return inTransaction(connection.statements.get(second), connection);
    if (type === 'P') {
      prepared = nameOfStatement(second);
      connection.statements.set(first, prepared);
    }
  }
  return prepared;
}

/** A COMMIT is named by the last statement before it. */
function inTransaction(name, connection) {
  if (name === 'COMMIT') return `COMMIT of ${connection.statement}`;
  connection.statement = name ?? '';
  return name;
}

function nameOfStatement(text) {
  const sql = text.replace(/--.*$/gm, '').trim();
  const tables = (pattern) => [...new Set([...sql.matchAll(pattern)].map(([, verb, table]) => `${verb} ${table}`))];
  const writes = tables(/(?<!FOR |DO )\b(INSERT INTO|UPDATE|DELETE FROM) (?:"?\w+"?\.)?"?(\w+)/g);
  const [read = sql.slice(0, 40).split(/[(;\n]/)[0]] = tables(/\b(FROM) (?:"?public"?\.)"?(\w+)/g);
  return writes.length > 0 ? writes.slice(0, 2).join(', ') : read.replace(/^FROM/, 'SELECT FROM').trim();
}
