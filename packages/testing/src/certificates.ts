import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Certificates = {
  /** Files in PEM: an authority, the certificate that it gave to localhost (not to 127.0.0.1), and that one's key. */
  ca: string;
  cert: string;
  key: string;
  /** An authority that signed nothing. */
  otherCa: string;
  remove(): void;
};

/** A private authority and a server's certificate of it, made by the openssl on the PATH. */
export function makeCertificates(): Certificates {
  const dir = mkdtempSync(join(tmpdir(), 'pts-certificates-'));
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['ca', 'other-ca'])
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '2',
    );
  openssl('req', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=server');
  writeFileSync(file('server.ext'), 'subjectAltName=DNS:localhost');
  const signed = [
    '-in',
    'server.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-extfile',
    'server.ext',
  ];
  openssl('x509', '-req', ...signed, '-out', 'server.pem', '-days', '2');
  // Servers may run as another user, who must be able to enter the folder.
  chmodSync(dir, 0o755);
  return {
    ca: file('ca.pem'),
    cert: file('server.pem'),
    key: file('server.key'),
    otherCa: file('other-ca.pem'),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
