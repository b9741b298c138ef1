import type { Server } from 'node:http';

type Address = { port: number; host?: string | undefined };

/**
 * Starts a server on an address.
 * @param settings the variables that the address is from.
 * @throws an Error with a code that names the setting if the port is taken or the host is not an address of the machine.
 */
export async function listen<S extends Server>(
  server: S,
  address: Address,
  settings: Readonly<Record<keyof Address, string>>,
): Promise<S> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(inPlainWords(error, address, settings)));
    server.listen(address, resolve);
  });
  return server;
}

function inPlainWords(
  error: NodeJS.ErrnoException,
  { port, host }: Address,
  settings: Readonly<Record<keyof Address, string>>,
): Error {
  const texts: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use. Set ${settings.port} to a free port.`,
    EACCES: `Port ${port} is not permitted. Set ${settings.port} to another port.`,
    EADDRNOTAVAIL: `${settings.host} ${host} is not an address of this machine.`,
    ENOTFOUND: `${settings.host} ${host} does not resolve.`,
  };
  return Object.assign(new Error(texts[error.code ?? ''] ?? error.message), { code: error.code });
}
