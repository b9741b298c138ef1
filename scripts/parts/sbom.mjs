import { join } from 'node:path';
import { cyclonedxEsbuildPlugin } from '@cyclonedx/cyclonedx-esbuild';

/**
 * Writes down what a bundle consists of, with versions, licences and their texts, in CycloneDX. The same sources give the same
 * file. A test validates it against the schema, so that builds need not.
 * @param dist the folder of the bundle
 */
export function sbomPlugin(dist) {
  return cyclonedxEsbuildPlugin({
    outputFile: join(dist, 'sbom.cdx.json'),
    outputReproducible: true,
    gatherLicenseTexts: true,
    validate: false,
    logLevel: 'silent',
  });
}
