import { text } from 'node:stream/consumers';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { createOtelTracer } from './otel.ts';

const PARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const UNSAMPLED = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-00`;

const tracerOf = (endpoint: string, ratio: number, onLost: (error: unknown) => void = () => {}) =>
  createOtelTracer({ app: 'api', version: '1.2.3', endpoint, ratio, onLost });

test('spans go to the collector as OTLP: with their trace, their links, and the release of the process', async () => {
  const bodies: string[] = [];
  const collector = await serve(async (request, response) => {
    bodies.push(`${request.url} ${await text(request)}`);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  // A slash at the end is usual, too.
  const tracer = tracerOf(`${collector.url}/`, 1);
  const span = tracer.start('POST', { kind: 'server', parent: PARENT, links: [UNSAMPLED, 'no context'] });
  span?.rename('POST /trackings/create');
  span?.add({ 'pts.request_id': 'r1' });
  span?.end(new TypeError('a text that may have a secret'));
  await tracer.close();
  await collector.close();
  const [path = '', json = ''] = bodies[0]?.split(/ (.*)/) ?? [];
  const [{ resource, scopeSpans }] = JSON.parse(json).resourceSpans;
  expect(path).toBe('/v1/traces');
  expect(resource.attributes).toContainEqual({ key: 'service.version', value: { stringValue: '1.2.3' } });
  expect(scopeSpans[0].spans).toMatchObject([
    {
      name: 'POST /trackings/create',
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
      links: [{ traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }],
      attributes: [{ key: 'pts.request_id', value: { stringValue: 'r1' } }],
      status: { message: 'TypeError' },
    },
  ]);
  expect(json).not.toContain('secret');
});

describe('sampling', () => {
  const tracer = tracerOf('http://127.0.0.1:9', 1e-9);
  afterAll(() => tracer.close());

  test('a request is sampled by its ratio, whatever it links to', () => {
    expect(tracer.start('POST', { kind: 'server', links: [PARENT] })).toBeNull();
  });

  test('of many requests, as many are sampled as the ratio says', () => {
    const quarter = tracerOf('http://127.0.0.1:9', 0.25);
    const sampled = Array.from({ length: 4000 }, () => quarter.start('POST', { kind: 'server' })).filter(Boolean);
    // Ten standard deviations.
    expect(Math.abs(sampled.length - 1000)).toBeLessThan(274);
  });

  test('what is a part of a sampled trace, or follows from one, is sampled', () => {
    const [part, follower] = [tracer.start('store', { parent: PARENT }), tracer.start('check', { links: [PARENT] })];
    expect(part?.traceparent).toContain('a'.repeat(32));
    expect(follower?.traceparent).not.toContain('a'.repeat(32));
  });

  test('a part of a trace that is not sampled is not', () => {
    expect(tracer.start('POST', { kind: 'server', parent: UNSAMPLED })).toBeNull();
  });
});

test('a collector that is away is reported once, and nothing waits for it', async () => {
  const lost: unknown[] = [];
  const tracer = tracerOf('http://127.0.0.1:9', 1, (error) => lost.push(error));
  for (let n = 0; n < 2000; n++) tracer.start('POST', { kind: 'server' })?.end();
  await tracer.close();
  await eventually(() => expect(lost).toHaveLength(1));
});
