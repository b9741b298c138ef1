import { AsyncLocalStorage } from 'node:async_hooks';
import { MAX_NAMED } from '@pts/core/process/origin';
import { parseTraceparent } from '@pts/core/process/traceparent';

/** Named by OpenTelemetry's conventions where they have a name. */
export type Attributes = Readonly<Record<string, string | number | boolean | string[]>>;

/** How a span begins. */
export type SpanStart = {
  kind?: 'server' | 'client' | 'producer';
  /** The `traceparent` of the span that it is a part of; absent: it begins a trace. */
  parent?: string | null | undefined;
  /** The `traceparent`s of spans that it follows from. */
  links?: readonly string[];
  attributes?: Attributes;
};

/** A sampled span. */
export type Span = {
  readonly traceparent: string;
  rename(name: string): void;
  add(attributes: Attributes): void;
  /** @param error why it failed. */
  end(error?: unknown): void;
};

/** Starts spans: null for one that is not sampled. `otel.ts` has the only one; by default there is none. */
export type Tracer = { start(name: string, how: SpanStart): Span | null; close(): Promise<void> };

/**
 * The context of the running code: the request that it works for, its span, and the parcels that it turned out to be
 * about, as many as its line names.
 */
export type RequestContext = {
  readonly requestId: string | null;
  readonly span: Span | null;
  readonly trackingIds: string[];
};

/** Holds nothing, and costs nothing, unless traces are on: async hooks would cost a sixth of the API's throughput. */
const contexts = new AsyncLocalStorage<RequestContext>();
let tracer: Tracer | null = null;

export function useTracer(next: Tracer | null): void {
  tracer = next;
}

/** Starts a span that its caller ends. @returns null if it is not sampled. */
export function startSpan(name: string, how: SpanStart): Span | null {
  return tracer?.start(name, how) ?? null;
}

/** Runs `work`, whose spans, and those of all that it starts, are parts of the request's. */
export function forRequest<T>(request: RequestContext, work: () => T): T {
  return tracer === null ? work() : contexts.run(request, work);
}

/** Names the parcels that a request is about, in its line of the log. */
export function nameTrackings(request: RequestContext | undefined, ids: readonly string[]): void {
  const named = request?.trackingIds;
  named?.push(...ids.slice(0, MAX_NAMED - named.length));
}

/**
 * Runs `work` as a span: a part of `how.parent` or of the current span, or a trace of its own that follows from
 * `how.links`. Only requests begin traces from nothing, so that one decision, made when a parcel is registered, holds
 * for all that happens to it.
 */
export async function traced<T>(name: string, how: SpanStart, work: () => Promise<T>): Promise<T> {
  if (tracer === null) return work();
  const around = contexts.getStore();
  const { links = [] } = how;
  const parent = how.parent ?? (links.length > 0 ? null : around?.span?.traceparent) ?? null;
  const span = parent === null && links.length === 0 ? null : tracer.start(name, { ...how, parent });
  if (span === null) return work();
  try {
    const result = await contexts.run({ ...(around ?? { requestId: null, trackingIds: [] }), span }, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Adds to the current span what is known only now. */
export function addToSpan(attributes: Attributes): void {
  contexts.getStore()?.span?.add(attributes);
}

/** The `traceparent` of the current span, to be kept in a row; null if the span is not sampled. */
export function currentTraceparent(): string | null {
  return contexts.getStore()?.span?.traceparent ?? null;
}

/** Headers that tell the receiver of a request about the current span: none, unless it is sampled. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = currentTraceparent();
  return traceparent === null ? {} : { traceparent };
}

/** The trace id of the current span; null if the span is not sampled. */
export function currentTraceId(): string | null {
  return traceIdOf(contexts.getStore()?.span ?? null);
}

export function traceIdOf(span: Span | null): string | null {
  return span === null ? null : (parseTraceparent(span.traceparent)?.traceId ?? null);
}
