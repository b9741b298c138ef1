import type { Client } from '@pts/client/client';
import type { Deadline } from './deadline.ts';
import type { Receiver } from './receiver.ts';

export type StoryDeps = {
  client: Client;
  /** Null: the story is told without webhooks. */
  receiver: Receiver | null;
  deadline: Deadline;
  /** Between two looks at the parcel; the endpoint takes two requests a second. */
  pollMs: number;
  /** For pushes and log entries to come, when the parcel was delivered just before the deadline. */
  graceMs: number;
  out(line: string): void;
};

export type Parcel = {
  /** A number of the caller's own may have been registered before. */
  number: string;
  isFresh: boolean;
};
