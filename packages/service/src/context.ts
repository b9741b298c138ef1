import type { Provider } from '@pts/carriers/provider';
import type { Plan } from '@pts/core/account';
import type { UrlPolicy } from '@pts/core/url-policy';
import type { Db, Tx } from '@pts/db/connection';
import type { SendPush } from '@pts/egress/send';
import type { Producer } from '@pts/queue/wake';
import type { SecretCipher } from '@pts/runtime/encryption/keyring';
import type { OpaqueTokens, PageTokens } from '@pts/runtime/encryption/tokens';
import type { Logger } from '@pts/runtime/logger';
import type { RequestContext } from '@pts/runtime/tracing/tracing';
import type { LearnedPrefixes } from './trackings/learned.ts';

/** The dependencies of the business verbs. Each verb takes the part that it needs. */
export type ServiceContext = {
  db: Db;
  producer: Producer;
  /** In order of preference. */
  providers: readonly Provider[];
  /** Whether the sandbox carrier is one of the carriers of live accounts (`hasSandbox`). */
  sandbox: boolean;
  /** Whether there may be test accounts (`modesOf`). */
  hasTestMode: boolean;
  /** Whether people can sign in with an identity provider. */
  hasSignIn: boolean;
  /** Absent: there are no learned finds. */
  learned?: LearnedPrefixes | undefined;
  send: SendPush;
  logger: Pick<Logger, 'info'>;
  secretCipher: SecretCipher;
  /** Cursors and ids that show nothing of the numbers behind them. */
  tokens: OpaqueTokens;
  /** The tokens of the links to buyers' pages. */
  pageTokens: PageTokens;
  urlPolicy: UrlPolicy;
  /** Units per month of each plan. */
  quotas: Record<Plan, number>;
  /** Seconds between two checks of parcels whose account has an enabled webhook. */
  monitoredSeconds: number;
  /** Seconds between two checks of all other parcels. */
  idleSeconds: number;
  /** Seconds between two checks of parcels whose news is pushed; null if nothing is pushed to this installation. */
  safetyNetSeconds: number | null;
  /** Days for which messages and their deliveries are kept. */
  retentionDays: number;
  now(): Date;
  /** Keeps a change in the audit log; absent where the caller does that. */
  audit?: KeepChange | undefined;
  /** The request that is served; absent where there is none. */
  request?: RequestContext;
};

/** The object of a change for the audit log: its id, its name at this time, and what else is worth knowing. */
type Changed = { id?: string; name?: string | null } & Readonly<Record<string, string | number | boolean | null>>;
/** Keeps a change in the audit log, in its own transaction. */
export type KeepChange = (tx: Pick<Tx, 'auditEntry'>, changed: Changed) => Promise<void>;
