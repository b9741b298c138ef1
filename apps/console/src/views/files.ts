/** The views of imports: one part, loaded when the first of them is shown. */
export { ImportPage } from './imports/import-page.tsx';
export { Imports } from './imports/imports.tsx';
