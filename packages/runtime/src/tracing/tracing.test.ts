import {
  currentTraceId,
  currentTraceparent,
  forRequest,
  nameTrackings,
  type RequestContext,
  type Span,
  type SpanStart,
  startSpan,
  traced,
  traceHeaders,
  useTracer,
} from './tracing.ts';

const contextOf = (n: number) => `00-${String(n).padStart(32, '0')}-${String(n).padStart(16, '0')}-01`;

/** A tracer that samples everything and writes down what it started and ended. */
function recorder() {
  const started: [string, SpanStart][] = [];
  const ended: [string, unknown][] = [];
  return {
    started,
    ended,
    start(name: string, how: SpanStart): Span {
      started.push([name, how]);
      return {
        traceparent: contextOf(started.length),
        rename() {},
        add() {},
        end: (error) => ended.push([name, error]),
      };
    },
    close: async () => {},
  };
}

const request = (more: Partial<RequestContext> = {}): RequestContext => ({
  requestId: 'r1',
  span: null,
  trackingIds: [],
  ...more,
});
afterEach(() => useTracer(null));

test('without a tracer, work runs unchanged, and pushes have no trace headers', async () => {
  const seen = await forRequest(request(), () =>
    traced('store', { links: [contextOf(7)] }, async () => [currentTraceparent(), traceHeaders(), currentTraceId()]),
  );
  expect(seen).toEqual([null, {}, null]);
});

test('spans of a request are parts of each other, and each tells what it calls about itself', async () => {
  const tracer = recorder();
  useTracer(tracer);
  const span = startSpan('POST', { kind: 'server' });
  const inner = await forRequest(request({ span }), () =>
    traced('store', {}, () => traced('send', {}, async () => [currentTraceparent(), traceHeaders()])),
  );
  expect(tracer.started).toEqual([
    ['POST', { kind: 'server' }],
    ['store', { parent: contextOf(1) }],
    ['send', { parent: contextOf(2) }],
  ]);
  expect(tracer.ended).toEqual([
    ['send', undefined],
    ['store', undefined],
  ]);
  expect(inner).toEqual([contextOf(3), { traceparent: contextOf(3) }]);
});

test('work that follows from another trace is one of its own, also within a span', async () => {
  const tracer = recorder();
  useTracer(tracer);
  const span = startSpan('POST', {});
  await forRequest(request({ span }), () => traced('retry', { links: [contextOf(9)] }, async () => {}));
  expect(tracer.started[1]).toEqual(['retry', { links: [contextOf(9)], parent: null }]);
});

test('work that belongs to no sampled request begins no trace', async () => {
  const tracer = recorder();
  useTracer(tracer);
  await traced('sweep', {}, async () => {});
  await forRequest(request(), () => traced('store', { parent: null, links: [] }, async () => {}));
  expect(tracer.started).toEqual([]);
});

test('a span ends with the error of its work, which is thrown on', async () => {
  const tracer = recorder();
  useTracer(tracer);
  const error = new Error('away');
  const work = () => Promise.reject(error);
  await expect(traced('store', { parent: contextOf(5) }, work)).rejects.toBe(error);
  expect(tracer.ended).toEqual([['store', error]]);
});

test('a request names the parcels that it was about, ten at most', () => {
  const context = request();
  nameTrackings(context, ['t1']);
  nameTrackings(
    context,
    Array.from({ length: 40 }, (_, n) => `u${n}`),
  );
  nameTrackings(context, ['t2']);
  expect(context.trackingIds).toEqual(['t1', ...Array.from({ length: 9 }, (_, n) => `u${n}`)]);
});
