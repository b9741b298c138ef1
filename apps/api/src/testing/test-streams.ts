import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { type StreamLine, streamLine } from '@pts/contract/batch';
import { toUtcSeconds } from '@pts/core/time';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { openSignals, type Signals, type Topic } from '@pts/queue/signals';
import type { Store } from '@pts/queue/store';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn } from '@pts/testing/stores';
import { createResponseCheck } from '../http/validate.ts';
import { createAnswerHub, createEventHub, EVENT_STREAMS, STREAM_TIMES } from '../streaming/hubs.ts';
import { startTestApi, type TestApi } from './test-api.ts';

const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const checkLine = createResponseCheck(streamLine);

/** An open stream, as its client sees it. */
export type TestStream = {
  response: IncomingMessage;
  lines: StreamLine[];
  ended: Promise<void>;
  send(text: string): void;
  finish(): void;
  leave(): void;
};

type StreamOptions = {
  type?: string;
  accept?: string;
  at?: TestApi;
  paused?: boolean;
  url?: string;
  body?: string;
};

type ReplicaOptions = Pick<Parameters<typeof startTestApi>[0] & object, 'keyClock' | 'bulkhead' | 'log'> & {
  eventTimes?: Partial<Record<keyof typeof EVENT_STREAMS, number>>;
};

/** Tracking numbers that name their carrier. */
export function numbers(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, i) => `YT88${String(from + i).padStart(11, '0')}`);
}

export function ofType(stream: TestStream, type: StreamLine['type']): never[] {
  return stream.lines.filter((line) => line.type === type) as never[];
}

/** The last line. */
export function summary(stream: TestStream): StreamLine | undefined {
  return stream.lines.at(-1);
}

/** An API with streams, on a database of its own. */
export async function startTestStreams(store: Store) {
  const database = await testDatabase();
  const signals: Signals[] = [];
  const apis: TestApi[] = [];
  const stopping = new AbortController();
  const api = await start();

  /** Another replica. All replicas share the database and the signals. */
  async function start(
    times: Partial<Record<'timeoutMs' | 'pollMs' | 'heartbeatMs' | 'stalledMs', number>> = {},
    { eventTimes, ...more }: ReplicaOptions = {},
  ): Promise<TestApi> {
    const { url } = database;
    const own = openSignals({ redisUrl: redisUrlOn(store), databaseUrl: url, prefix: url, onError: () => {} });
    signals.push(own);
    const events = {
      hub: createEventHub(own, eventTimes?.maxPerProcess ?? EVENT_STREAMS.maxPerProcess),
      ...EVENT_STREAMS,
      ...eventTimes,
    };
    const streams = {
      ...STREAM_TIMES,
      pollMs: 200,
      ...times,
      hub: createAnswerHub(own),
      events,
      stopping: stopping.signal,
    };
    const started = await startTestApi({ store, databaseUrl: url, streams, ...more });
    apis.push(started);
    return started;
  }

  /** Has the carrier answer for all waiting numbers, like the poller. @returns how many there were. */
  async function answer(withSignal = true): Promise<number> {
    const waiting = await api.db.tracking.findMany({ where: { answeredAt: null }, select: { id: true }, take: 10_000 });
    const time = toUtcSeconds(new Date());
    const scan = {
      time,
      timeRaw: time,
      zoneSource: 'carrier',
      location: '云溪市',
      description: '已揽收',
      status: 'in_transit',
    };
    const scans = [scan] as never;
    for (let i = 0; i < waiting.length; i += 200) {
      const ids = waiting.slice(i, i + 200).map(({ id }) => id);
      const changed = ids.map((trackingId) => ({
        trackingId,
        answer: { kind: 'found' as const, scans },
        fingerprint: 'f',
        finalLook: false,
      }));
      await saveAnswers(api.db, changed, CADENCE, new Date());
      if (withSignal) await signals[0]?.publish('answered', ids);
    }
    return waiting.length;
  }

  /** The carrier answers every registered number until the returned function is called. */
  function answering(withSignal = true): () => Promise<void> {
    let isOn = true;
    const done = (async () => {
      const answerSome = async () => {
        if (isOn) expect(await answer(withSignal)).toBeGreaterThan(0);
      };
      // Longer than any test here: a quiet stream is not a failure.
      while (isOn) await eventually(answerSome, { deadlineMs: 120_000, everyMs: 10 });
    })();
    return async () => {
      isOn = false;
      await done;
    };
  }

  /** Opens a stream; `finish` ends its input. */
  async function open(key: string, options: StreamOptions = {}): Promise<TestStream> {
    const { type = 'application/x-ndjson', accept, at = api, paused = false } = options;
    const sent = httpRequest(`${options.url ?? at.url}/api/v1/track/batch-stream`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': type, ...(accept ? { Accept: accept } : {}) },
    });
    sent.on('error', () => {});
    // A JSON body is read before the answer begins.
    if (options.body === undefined) sent.flushHeaders();
    else sent.end(options.body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const lines: StreamLine[] = [];
    return {
      response,
      lines,
      ended: paused ? Promise.resolve() : readLines(response, lines),
      send: (text) => void sent.write(text),
      finish: () => void sent.end(),
      leave: () => void sent.destroy(),
    };
  }

  /** Sends a whole input, and reads the whole output, every line of which must be valid. */
  async function whole(key: string, text: string, options: StreamOptions = {}): Promise<TestStream> {
    const isJson = options.type === 'application/json';
    const stream = await open(key, { ...options, ...(isJson ? { body: text } : {}) });
    if (!isJson) {
      stream.send(text);
      stream.finish();
    }
    await stream.ended;
    for (const line of stream.lines) checkLine(line);
    return stream;
  }

  return {
    api,
    start,
    /** As the poller does after it has stored events. */
    publish: (topic: Topic, ids: readonly string[]) => signals[0]?.publish(topic, ids),
    answer,
    answering,
    open,
    whole,
    /** As when the service stops. */
    stop: () => stopping.abort(),
    close: async () => {
      await Promise.all(apis.map((each) => each.close()));
      await Promise.all(signals.map((each) => each.close()));
      await database.close();
    },
  };
}

async function readLines(response: IncomingMessage, lines: StreamLine[]): Promise<void> {
  const reader = createInterface({ input: response });
  reader.on('line', (text) => {
    const json = text.startsWith('data: ') ? text.slice(6) : text;
    if (json.startsWith('{')) lines.push(JSON.parse(json));
  });
  reader.on('error', () => {});
  await new Promise((resolve) => reader.once('close', resolve));
}
