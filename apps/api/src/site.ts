import type { OpenApiDocument } from '@pts/contract/openapi/document';
import { type ConsoleFiles, readConsole } from './console/files.ts';
import { type Downloads, readDownloads } from './downloads/files.ts';
import { type PortalFile, readPortal } from './portal/files.ts';
import { apiDocument } from './reference/operations.ts';

/** What the API serves to everybody, in memory: its document, and what has been built of the console, the portal and the packages. */
export type Site = {
  document: OpenApiDocument;
  console: ConsoleFiles | null;
  portal: readonly PortalFile[] | null;
  downloads: Downloads | null;
};

/** Reads hundreds of files: once per process. */
export function readSite(publicBaseUrl: string | undefined): Site {
  return {
    document: apiDocument(publicBaseUrl),
    console: readConsole(publicBaseUrl),
    portal: readPortal(),
    downloads: readDownloads(),
  };
}
