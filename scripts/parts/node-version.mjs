// Imported first, and written so that a Node far too old can still read it. The number is that of "engines" in
// package.json.
var wanted = [20, 19];
var have = process.versions.node.split('.').map(Number);
if (have[0] < wanted[0] || (have[0] === wanted[0] && have[1] < wanted[1])) {
  process.stderr.write(
    'This needs Node.js ' +
      wanted.join('.') +
      ' or newer; this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ').\n',
  );
  process.exit(1);
}
