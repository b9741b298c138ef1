import { parseTraceparent } from '@pts/core/process/traceparent';
import type { ReceivedRequest } from '@pts/testing/http-server';
import type { Collected } from './collector.ts';

/** A line of the log, as JSON. */
export type Line = { app: string; msg: string; trackingId?: string; trackingIds?: string[] } & {
  requestId?: string;
  requestIds?: string[];
};

/** The lines that name a parcel, and the request that registered it, in their order. */
export function linesOf(output: string, trackingId: string, requestId: string): Line[] {
  const lines = output.split('\n').flatMap((line): Line[] => {
    const [json] = /\{.*\}/.exec(line) ?? [];
    return json ? [JSON.parse(json) as Line] : [];
  });
  const isAbout = ({ trackingId: id, trackingIds = [] }: Line) => id === trackingId || trackingIds.includes(trackingId);
  const isBecauseOf = (line: Line) => line.requestId === requestId || line.requestIds?.includes(requestId);
  return lines.filter((line) => isAbout(line) && isBecauseOf(line));
}

/**
 * The spans of a parcel from its registration to its pushes, found by nothing but their ids and links.
 * @throws if one is missing.
 */
export function traceOf(spans: readonly Collected[], requestId: string, pushes: readonly ReceivedRequest[]) {
  const only = (what: string, found: readonly Collected[]): Collected => {
    const [span, ...more] = found;
    if (span === undefined || more.length > 0) throw new Error(`${what}: ${found.length} instead of one`);
    return span;
  };
  const partOf = (parent: Collected, name: string) =>
    only(
      name,
      spans.filter((span) => span.name === name && span.parentSpanId === parent.spanId),
    );
  const post = only(
    'POST',
    spans.filter(({ name, attributes }) => name.startsWith('POST') && attributes['pts.request_id'] === requestId),
  );
  const store = partOf(post, 'store trackings');
  const send = partOf(post, 'send wake-ups');
  const follows = (span: Collected) =>
    span.traceId === store.traceId || span.links.some(({ spanId }) => spanId === store.spanId);
  // On a busy machine, a check may get no answer; the next one follows from the registration, too.
  const hasSaved = (span: Collected) =>
    spans.some(({ name, parentSpanId }) => name === 'save answers' && parentSpanId === span.spanId);
  const check = spans.find((span) => span.name === 'check parcels' && follows(span) && hasSaved(span));
  if (check === undefined) throw new Error('no check that was answered follows from the registration');
  const ask = partOf(check, 'ask provider');
  const save = partOf(check, 'save answers');
  const [first, second] = pushes.map(({ headers }) => {
    const received = parseTraceparent(String(headers.traceparent));
    return only(
      'push',
      spans.filter(({ spanId }) => spanId === received?.spanId),
    );
  });
  if (first === undefined || second === undefined) throw new Error('fewer than two pushes were traced');
  return { post, store, send, check, ask, save, first, second };
}
