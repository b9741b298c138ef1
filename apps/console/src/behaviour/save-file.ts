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
  URL.revokeObjectURL(address);
}
