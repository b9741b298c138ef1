import pg from 'pg';

/** The parts of node-pg's connection that its types leave out. */
type Wire = {
  stream: { destroy(): void };
  on(event: 'connect' | 'sslconnect' | 'end' | 'error', listener: () => void): void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: unknown): void;
};
type Session = { processID: number | null; secretKey: unknown; sslNegotiation?: string };

/**
 * Asks the server, over a separate connection, to cancel the statement of the session. It may fail: this only affects
 * how long locks are held.
 */
export function cancelStatement(client: pg.Client, timeoutMs: number): void {
  const { processID, secretKey, sslNegotiation } = client as unknown as Session;
  const { host, port, ssl } = client;
  if (processID === null) return;
  const wire = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as unknown as Wire;
  const timer = setTimeout(() => wire.stream.destroy(), timeoutMs);
  const cancel = () => wire.cancel(processID, secretKey);
  wire.on('error', () => wire.stream.destroy());
  wire.on('end', () => clearTimeout(timer));
  wire.on('connect', () => {
    if (!ssl) cancel();
    else if (sslNegotiation !== 'direct') wire.requestSsl();
  });
  wire.on('sslconnect', cancel);
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
}
