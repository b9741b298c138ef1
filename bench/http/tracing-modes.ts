import { AsyncLocalStorage } from 'node:async_hooks';
import { createOtelTracer } from '@pts/runtime/tracing/otel';
import { type Tracer, useTracer } from '@pts/runtime/tracing/tracing';

/**
 * `without`: a request has not even the store in which `tracing.ts` keeps what it works for. The same once more shows the noise.
 * `1 %` samples that many requests.
 */
export const MODES = ['without', 'without, again', 'off', '1 %'] as const;
export type Mode = (typeof MODES)[number];

export type TracingMode = { mode: Mode; collectorUrl: string };

let mode: Mode = 'off';
let tracer: Tracer | undefined;

/** Changes what tracing does in this process: two processes with the same program differ by more than what is measured. */
export function setTracing(wanted: TracingMode): void {
  if (tracer === undefined) leaveOutFlows();
  const options = { app: 'api', version: 'bench', endpoint: wanted.collectorUrl, ratio: 0.01, onLost() {} };
  tracer ??= createOtelTracer(options);
  mode = wanted.mode;
  useTracer(mode === '1 %' ? tracer : null);
}

/** Lets requests run without their store where the mode says so; other stores stay. */
function leaveOutFlows(): void {
  const { run } = AsyncLocalStorage.prototype;
  const isFlow = (store: unknown) => typeof store === 'object' && store !== null && 'trackingIds' in store;
  const isLeftOut = (store: unknown) => mode.startsWith('without') && isFlow(store);
  AsyncLocalStorage.prototype.run = function (
    this: AsyncLocalStorage<unknown>,
    store: unknown,
    work: (...args: unknown[]) => unknown,
    ...args: unknown[]
  ) {
    return isLeftOut(store) ? work(...args) : Reflect.apply(run, this, [store, work, ...args]);
  } as typeof run;
}
