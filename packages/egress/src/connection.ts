import type { Socket } from 'node:net';

/** How far a connection has come. `proxy` is the way to our own proxy, `tunnel` what it does for us. */
export type Stage = 'dns' | 'connect' | 'proxy' | 'tunnel' | 'tls' | 'open';

export type Connection = {
  stage: Stage;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  socket: Socket | null;
  /** What had been read of it when the latest exchange began. */
  bytesBefore: number;
  isUsed: boolean;
  /** Ends the making of it; nothing once it is made. */
  giveUp(why: Error): void;
};

/** One place for a connection to a receiver, and the connection that is there now. */
export type Line = { connection: Connection | null };

export type Address = { address: string; family: number };
