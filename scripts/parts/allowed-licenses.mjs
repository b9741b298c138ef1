/** Licences of what images and packages contain: they ask for nothing but their notices, which the SBOMs have. */
export const PERMISSIVE = [
  ...['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'],
  // With a patent grant, and notices of changes: we change nothing.
  'Apache-2.0',
  // In the public domain.
  ...['Unlicense', 'CC0-1.0'],
  // Of code that was ported from Python's library: permissive, like BSD.
  ...['PSF-2.0', 'Python-2.0'],
];

/** Packages that only build and test, and are in no image, whose licences are beyond these. */
export const TOOLS = {
  'axe-core': ['MPL-2.0', 'copyleft by file: tests run it unchanged'],
  'caniuse-lite': ['CC-BY-4.0', 'data that a tool of the tests reads'],
  elkjs: ['EPL-2.0', "copyleft by module: a part of Prisma's command line, which only generates the client"],
  'spdx-ranges': ['(MIT AND CC-BY-3.0)', 'as spdx-exceptions'],
  'spdx-exceptions': ['CC-BY-3.0', 'the list of exceptions that this check reads'],
};

/** Packages whose manifest does not state their licence in the form of SPDX, as their LICENSE file says. */
export const STATED = {
  '@visx/vendor': ['MIT and ISC', 'MIT AND ISC'],
  'seq-queue': [undefined, 'MIT'],
};
