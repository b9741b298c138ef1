import { Histogram, type Metric, type OpenMetricsContentType, Registry } from 'prom-client';

/** Buckets of a latency, in seconds. */
export const LATENCY_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A histogram whose buckets name the trace of one of their observations. */
export type TracedHistogram<L extends string> = {
  /** @param traceId null if it is not sampled. */
  observe(labels: Partial<Record<L, string>>, seconds: number, traceId: string | null): void;
};

export function tracedHistogram<L extends string>(
  registry: Registry,
  { name, help, labels = [] }: { name: string; help: string; labels?: readonly L[] },
): TracedHistogram<L> {
  // Registered apart: the constructor refuses a registry that can also be read without exemplars.
  const options = { name, help, labelNames: labels, buckets: LATENCY_SECONDS, registers: [], enableExemplars: true };
  const histogram = new Histogram<string>(options);
  registry.registerMetric(histogram);
  return {
    observe: (labels, value, traceId) =>
      histogram.observe({ labels, value, ...(traceId !== null && { exemplarLabels: { trace_id: traceId } }) }),
  };
}

export const OPEN_METRICS = Registry.OPENMETRICS_CONTENT_TYPE;

/** Whether a scraper takes OpenMetrics, the only format with exemplars. */
export function takesOpenMetrics(accept: string | undefined): boolean {
  return /application\/openmetrics-text/.test(accept ?? '');
}

/**
 * The metrics of a registry as OpenMetrics, by a writer of their values: prom-client would rename the counters of the
 * registry itself, which is also read in the other format.
 */
export async function openMetricsOf(registry: Registry): Promise<string> {
  const writer = new Registry<OpenMetricsContentType>();
  writer.setContentType(OPEN_METRICS);
  for (const { name, ...family } of await registry.getMetricsAsJSON()) {
    // The family of a counter has its name without the suffix of its samples.
    const values = { ...family, name: name.replace(/_total$/, '') };
    writer.registerMetric({ name, get: async () => values } as unknown as Metric);
  }
  return writer.metrics();
}
