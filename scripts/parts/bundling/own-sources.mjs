/** Whether a path, of a source map or of what esbuild has read, is a file of ours and not of a dependency. */
export const isOwn = (path) => !path.includes('node_modules/');

/** The files of ours that a build of esbuild has read, from its metafile. */
export const ownInputs = ({ inputs }) => Object.keys(inputs).filter(isOwn);
