/** Stands for a message of the service, or a text, that contains a text or matches a pattern. */
export function textMatching(what: string | RegExp): unknown {
  return {
    $$typeof: Symbol.for('jest.asymmetricMatcher'),
    asymmetricMatch: (said: unknown) =>
      typeof what === 'string' ? String(said).includes(what) : what.test(String(said)),
    toAsymmetricMatcher: () => `textMatching ${what}`,
  };
}
