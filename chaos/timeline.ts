/** The times of all events, in milliseconds of one clock. */
export type Timeline = {
  /** @param failure why it got no response or a 5xx; null if it succeeded. */
  request(at: number, failure: string | null): void;
  /** A carrier was queried and answered. */
  poll(at: number, carrier: string): void;
  /** A push was received and accepted. */
  push(at: number, endpoint: string): void;
  figures(from: number, to: number): Figures;
  /** Whether, after `since`, a request succeeded and each of these was queried or got a push. */
  hasAll(since: number, carriers: readonly string[], endpoints: readonly string[]): boolean;
};
export type Figures = {
  requests: number;
  /** The share of the API's requests that were answered, and not with a 5xx; 1 without any request. */
  availability: number;
  /** How often requests failed, by the reason. */
  failures: Record<string, number>;
  /** The longest time without one, which may have begun before the window, in seconds. */
  longestPollPause: number;
  longestPushPause: number;
};

export function createTimeline(): Timeline {
  const requests: { at: number; failure: string | null }[] = [];
  const polls: number[] = [];
  const pushes: number[] = [];
  const last = new Map<string, number>();
  const note = (times: number[], at: number, key: string) => {
    times.push(at);
    last.set(key, at);
  };
  return {
    request: (at, failure) => {
      requests.push({ at, failure });
      if (failure === null) last.set('request', at);
    },
    poll: (at, carrier) => note(polls, at, `carrier ${carrier}`),
    push: (at, endpoint) => note(pushes, at, `endpoint ${endpoint}`),
    figures: (from, to) => {
      const within = requests.filter(({ at }) => at >= from && at < to);
      const failed = within.flatMap(({ failure }) => failure ?? []);
      const failures: Record<string, number> = {};
      for (const failure of failed) failures[failure] = (failures[failure] ?? 0) + 1;
      return {
        requests: within.length,
        availability: within.length === 0 ? 1 : 1 - failed.length / within.length,
        failures,
        longestPollPause: longestPause(polls, from, to) / 1000,
        longestPushPause: longestPause(pushes, from, to) / 1000,
      };
    },
    hasAll: (since, carriers, endpoints) =>
      ['request', ...carriers.map((name) => `carrier ${name}`), ...endpoints.map((path) => `endpoint ${path}`)].every(
        (key) => (last.get(key) ?? 0) > since,
      ),
  };
}

/** The longest gap between two of `times` (ascending) that reaches into the window; its ends count as times. */
function longestPause(times: readonly number[], from: number, to: number): number {
  const within = times.filter((at) => at > from && at < to);
  const before = times.findLast((at) => at <= from) ?? from;
  const marks = [before, ...within, to];
  return Math.max(...marks.slice(1).map((at, n) => at - (marks[n] ?? at)));
}
