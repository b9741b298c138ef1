import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files in PEM. */
export type Certificate = { cert: string; key: string };

export type Authority = {
  /** The authority's own certificate, in PEM. */
  ca: string;
  /** A server's certificate, for `DNS:localhost` or `IP:127.0.0.1`; for 2 days, unless `validity` has other options of `openssl x509`. */
  issue(server: string, altNames: string, ...validity: string[]): Certificate;
  remove(): void;
};

export type Certificates = Certificate & {
  /** The authority that issued the certificate to localhost (not to 127.0.0.1). */
  ca: string;
  /** An authority that signed nothing. */
  otherCa: string;
  remove(): void;
};

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** A private authority, made by the openssl on the PATH. */
export function makeAuthority(name = 'ca'): Authority {
  const dir = mkdtempSync(join(tmpdir(), 'pts-certificates-'));
  const file = (name: string) => join(dir, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`, '-days', '2');
  // Servers may run as another user, who must be able to enter the folder.
  chmodSync(dir, 0o755);
  return {
    ca: file('ca.pem'),
    issue(server, altNames, ...validity) {
      const [key, request, extensions, cert] = [`${server}.key`, `${server}.csr`, `${server}.ext`, `${server}.pem`];
      openssl('req', ...NEW_KEY, '-keyout', key, '-out', request, '-subj', `/CN=${server}`);
      writeFileSync(file(extensions), `subjectAltName=${altNames}`);
      const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', extensions];
      const period = validity.length > 0 ? validity : ['-days', '2'];
      openssl('x509', '-req', '-in', request, ...by, '-out', cert, ...period);
      return { cert: file(cert), key: file(key) };
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** A certificate for localhost with its authority, and an authority that signed nothing. */
export function makeCertificates(): Certificates {
  const [authority, other] = [makeAuthority(), makeAuthority('other-ca')];
  return {
    ...authority.issue('server', 'DNS:localhost'),
    ca: authority.ca,
    otherCa: other.ca,
    remove() {
      authority.remove();
      other.remove();
    },
  };
}
