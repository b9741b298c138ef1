import { text } from 'node:stream/consumers';
import { serve } from '@pts/testing/http-server';

/** A span as a collector got it. */
export type Collected = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Undefined for the first of its trace. */
  parentSpanId: string | undefined;
  links: readonly { traceId: string; spanId: string }[];
  attributes: Readonly<Record<string, unknown>>;
};

type Value = { stringValue?: string; intValue?: number; arrayValue?: { values: Value[] } };
type Attribute = { key: string; value: Value };
type Wire = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Collected, 'attributes' | 'service'> & { attributes: Attribute[] })[] }[];
  }[];
};

/** A collector that takes OTLP as JSON over HTTP, and what makes processes send all their spans to it at once. */
export async function startCollector() {
  const spans: Collected[] = [];
  const server = await serve(async (request, response) => {
    if (request.url === '/v1/traces') spans.push(...read(JSON.parse(await text(request)) as Wire));
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  return {
    spans,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: server.url, OTEL_BSP_SCHEDULE_DELAY: '100' },
    close: server.close,
  };
}

function read({ resourceSpans }: Wire): Collected[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ links = [], attributes, ...span }) => ({
        ...span,
        service: String(valuesOf(resource.attributes)['service.name']),
        links,
        attributes: valuesOf(attributes),
      })),
    ),
  );
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function plain({ stringValue, intValue, arrayValue }: Value): unknown {
  return arrayValue ? arrayValue.values.map(plain) : (stringValue ?? intValue);
}
