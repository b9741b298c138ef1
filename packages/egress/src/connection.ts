import type { Socket } from 'node:net';

/** The stage of a connection. `proxy` is the connection to our own proxy, `tunnel` its CONNECT request. */
export type Stage = 'dns' | 'connect' | 'proxy' | 'tunnel' | 'tls' | 'open';

export type Connection = {
  stage: Stage;
  address: string | null;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  socket: Socket | null;
  /** The bytes that had been read when the latest exchange began. */
  bytesBefore: number;
  isUsed: boolean;
  /** Aborts connecting; does nothing once connected. */
  giveUp(why: Error): void;
};

/** A slot for a connection to a receiver, and its current connection. */
export type Line = { connection: Connection | null };

export type Address = { address: string; family: number };
