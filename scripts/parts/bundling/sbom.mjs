import { join } from 'node:path';

/**
 * Writes down what a bundle consists of, with versions, licences and their texts, in CycloneDX. The same sources give
 * the same file. A test validates it against the schema, so that builds need not.
 * @param dist the folder of the bundle
 */
export async function sbomPlugin(dist) {
  // A fresh clone has no packages until it is set up.
  const { cyclonedxEsbuildPlugin } = await import('@cyclonedx/cyclonedx-esbuild');
  return cyclonedxEsbuildPlugin({
    outputFile: join(dist, 'sbom.cdx.json'),
    outputReproducible: true,
    gatherLicenseTexts: true,
    validate: false,
    logLevel: 'silent',
  });
}
