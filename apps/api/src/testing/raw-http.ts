import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Map<string, string>; text: string };

/**
 * Sends raw bytes over a separate connection, for tests: requests that no client would send. Ends with the response.
 */
export async function sendRaw(url: string, bytes: string | Buffer | (string | Buffer)[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const received = await new Promise<Buffer>((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => (chunks.length > 0 ? resolve(Buffer.concat(chunks)) : reject(error)));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    for (const part of [bytes].flat()) socket.write(part);
  });
  return parse(received.toString('utf8'));
}

function parse(received: string): RawAnswer {
  const end = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), text: received.slice(end + 4) };
}
