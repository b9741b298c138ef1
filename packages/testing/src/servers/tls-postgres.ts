import { startPostgres } from '@pts/embedded/postgres';
import { emptyDatabase } from '../database.ts';
import { type Certificates, makeCertificates } from './certificates.ts';

/** A PostgreSQL with TLS, and a database on one without it. */
export type TlsPostgres = {
  certificates: Certificates;
  /** At its IP address, which the certificate is not for. */
  url: string;
  /** At the name that the certificate is for. */
  namedUrl: string;
  plainUrl: string;
  close(): Promise<void>;
};

export async function startTlsPostgres(): Promise<TlsPostgres> {
  const certificates = makeCertificates();
  const postgres = await startPostgres({ persistent: false, tls: certificates });
  const plain = await emptyDatabase();
  return {
    certificates,
    url: postgres.url,
    namedUrl: postgres.url.replace('@127.0.0.1:', '@localhost:'),
    plainUrl: plain.url,
    close: async () => {
      await Promise.all([postgres.stop(), plain.close()]);
      certificates.remove();
    },
  };
}

/** A URL with query parameters. */
export const withParameters = (url: string, parameters: Record<string, string>) =>
  `${url}?${new URLSearchParams(parameters)}`;
