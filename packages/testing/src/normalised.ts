import { mock } from 'node:test';

/** The lengths of all texts that `work` normalises, which costs the more the longer they are. */
export function lengthsNormalised(work: () => unknown): number[] {
  const { mock: normalize } = mock.method(String.prototype, 'normalize');
  try {
    work();
    return normalize.calls.map((call) => String(call.this).length);
  } finally {
    normalize.restore();
  }
}
