import type { Provider } from '@pts/carriers/provider';
import type { Plan } from '@pts/core/account/plan';
import type { UrlPolicy } from '@pts/core/webhook/url-policy';
import type { Db } from '@pts/db/client';
import type { Send } from '@pts/egress/send';
import type { Producer } from '@pts/queue/producer';
import type { SecretBox } from '@pts/runtime/secret-box';

/** What the endpoints work with. */
export type ApiDeps = {
  db: Db;
  producer: Producer;
  /** In order of preference. */
  providers: readonly Provider[];
  /** Whether numbers of no known carrier go to the sandbox. */
  sandbox: boolean;
  send: Send;
  secretBox: SecretBox;
  urlPolicy: UrlPolicy;
  quotas: Record<Plan, number>;
  monitoredSeconds: number;
  now(): Date;
};
