/**
 * A copy of a file in memory: browsers send no file that has changed since it was chosen, and what was examined is to
 * be imported. Null: it cannot be read, for example because it is a folder.
 */
export async function keptFile(file: File): Promise<File | null> {
  try {
    return new File([await file.arrayBuffer()], file.name, { type: file.type });
  } catch {
    return null;
  }
}

/** Long enough for the browser to start saving a file. */
const STARTED_MS = 30_000;

/** Saves a file that arrives in pieces, as a download. @param onSize receives the number of bytes so far. */
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
