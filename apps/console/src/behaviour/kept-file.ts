/**
 * A copy of a file in memory: browsers send no file that has changed since it was chosen, and what was examined is to be imported.
 * Null: it cannot be read, for example because it is a folder.
 */
export async function keptFile(file: File): Promise<File | null> {
  try {
    return new File([await file.arrayBuffer()], file.name, { type: file.type });
  } catch {
    return null;
  }
}
