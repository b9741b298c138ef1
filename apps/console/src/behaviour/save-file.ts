/** By then, the browser has begun to save a file. */
const STARTED_MS = 30_000;

/** Has the browser save a file that arrives in pieces. @param onSize is told how many bytes have arrived. */
export async function saveFile(
  name: string,
  pieces: AsyncIterable<Uint8Array>,
  onSize: (bytes: number) => void = () => {},
): Promise<void> {
  const parts: Blob[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    // The browser may keep blobs on its disk; bytes would stay in the memory of the page.
    parts.push(new Blob([new Uint8Array(piece)]));
    bytes += piece.byteLength;
    onSize(bytes);
  }
  const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), STARTED_MS);
}
