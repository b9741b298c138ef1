import type { Logger } from '../logger.ts';
import { VERSION } from '../metrics.ts';
import type { Config } from '../settings/config.ts';
import { type Tracer, useTracer } from './tracing.ts';

/**
 * Turns tracing on if an endpoint is set: only then are OpenTelemetry's packages loaded.
 * @returns what ends it; null if it is off.
 */
export async function openTracing(
  app: string,
  { otlpEndpoint: endpoint, traceRatio: ratio }: Config<'otlpEndpoint' | 'traceRatio'>,
  logger: Logger,
): Promise<Tracer | null> {
  if (endpoint === undefined) return null;
  const { createOtelTracer } = await import('./otel.ts');
  const onLost = (err: unknown) => logger.warn({ err }, 'traces could not be exported');
  const tracer = createOtelTracer({ app, version: VERSION, endpoint, ratio, onLost });
  useTracer(tracer);
  return tracer;
}
