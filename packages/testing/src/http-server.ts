import { createServer, type RequestListener, type Server } from 'node:http';

export type HttpServer = {
  /** Without a slash at the end. */
  url: string;
  /** Ends its connections, too. */
  close(): Promise<void>;
};

/**
 * Starts an HTTP server on a free port of 127.0.0.1. Idle connections stay open: a caller on a busy machine would send its next request
 * on one that is being closed, and fail.
 */
export function serve(answer: RequestListener): Promise<HttpServer> {
  return listen(createServer({ keepAliveTimeout: 0 }, answer));
}

/** Lets a server listen on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<HttpServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('a listening server has a port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
