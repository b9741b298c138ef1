import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

test.each([
  [true, `00-${traceId}-${spanId}-01`],
  [false, `00-${traceId}-${spanId}-00`],
])('a context that is sampled: %s reads as it was written', (isSampled, text) => {
  const context = { traceId, spanId, isSampled };
  expect([formatTraceparent(context), parseTraceparent(text)]).toEqual([text, context]);
});

test('flags beside the sampled one are ignored', () => {
  expect(parseTraceparent(`00-${traceId}-${spanId}-03`)).toMatchObject({ isSampled: true });
});

test.each([
  undefined,
  null,
  '',
  'text',
  `01-${traceId}-${spanId}-01`,
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
])('%s is no context', (text) => {
  expect(parseTraceparent(text)).toBeNull();
});
