import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Link,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createFailureThrottle } from '@pts/core/process/failure-throttle';
import { formatTraceparent, parseTraceparent } from '@pts/core/process/traceparent';
import type { Attributes, Span, SpanStart, Tracer } from './tracing.ts';

/** How long an export may take, repetitions included; a process that ends waits no longer for its last one. */
const EXPORT_MS = 3000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, producer: SpanKind.PRODUCER } as const;

/**
 * A tracer of OpenTelemetry's SDK, which sends spans by OTLP over HTTP, in batches. Loaded only where traces are on.
 */
export function createOtelTracer(options: {
  app: string;
  version: string;
  /** The address in the form of OTEL_EXPORTER_OTLP_ENDPOINT: without the path. */
  endpoint: string;
  /** The part of requests that is sampled, from 0 to 1. */
  ratio: number;
  onLost(error: unknown): void;
}): Tracer {
  const { app, version, endpoint, ratio, onLost } = options;
  const throttle = createFailureThrottle();
  const report = (error: unknown) => {
    if (throttle.failed(performance.now())) onLost(error);
  };
  setGlobalErrorHandler(report);
  const url = `${endpoint}${endpoint.endsWith('/') ? '' : '/'}v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS });
  const provider = new BasicTracerProvider({
    // Decided below: the SDK would first make the ids, attributes and links of a span that nobody sees.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new BatchSpanProcessor(exporter)],
    resource: resourceFromAttributes({
      'service.namespace': 'parcel-tracking-service',
      'service.name': app,
      'service.version': version,
      'service.instance.id': hostname(),
    }),
  });
  const tracer = provider.getTracer('pts', version);
  return {
    start(name, { kind, parent, links = [], attributes = {} }: SpanStart) {
      const context = remote(parent);
      if (!isSampled(kind, context, ratio)) return null;
      const started = tracer.startSpan(
        name,
        { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, links: links.flatMap(linkTo), attributes: { ...attributes } },
        context ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT,
      );
      return spanOf(started);
    },
    close: () => Promise.race([provider.shutdown().catch(report), delay(EXPORT_MS, undefined, { ref: false })]),
  };
}

/**
 * Whether a span is sampled: if it has a parent, as the parent is. Otherwise, requests are sampled by their ratio,
 * whatever they link to; other traces follow from sampled ones.
 */
function isSampled(kind: SpanStart['kind'], parent: SpanContext | null, ratio: number): boolean {
  if (parent !== null) return (parent.traceFlags & TraceFlags.SAMPLED) !== 0;
  return kind !== 'server' || Math.random() < ratio;
}

function spanOf(span: OtelSpan): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: formatTraceparent({ traceId, spanId, isSampled: true }),
    rename: (name) => void span.updateName(name),
    add: (attributes: Attributes) => void span.setAttributes({ ...attributes }),
    end(error) {
      // The name alone: messages of libraries may hold queries, addresses and parameters.
      const text = error instanceof Error ? error.name : String(error);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: text });
      span.end();
    },
  };
}

function linkTo(traceparent: string): Link[] {
  const context = remote(traceparent);
  return context ? [{ context }] : [];
}

function remote(traceparent: string | null | undefined): SpanContext | null {
  const context = parseTraceparent(traceparent);
  if (context === null) return null;
  const { traceId, spanId, isSampled } = context;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}
