import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { composeSettings, configSchema, secretSettings } from './chart-settings.mjs';
import { documentedValues, valuesTable } from './chart-values.mjs';

const CHART = join(import.meta.dirname, 'unified-calendar');
const ROOT = join(import.meta.dirname, '..');

/**
 * Every file of the chart that is made of something else, and the settings of the Compose file.
 * @param {readonly object[]} settings those of `#providers`
 * @returns {Promise<{ path: string, text: string }[]>}
 */
export async function generatedFiles(settings) {
  const read = (name) => readFileSync(join(CHART, name), 'utf8');
  const schema = JSON.parse(read('values.schema.template.json'));
  schema.definitions.config = configSchema(settings);
  const table = valuesTable(documentedValues(read('values.yaml')));
  const readme = read('README.md').replace(
    /(<!-- values -->\n).*(<!-- end of values -->)/s,
    (_, begin, end) => `${begin}\n${table}\n\n${end}`,
  );
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return Promise.all([
    formatted('values.schema.json', JSON.stringify(schema)),
    formatted('README.md', readme),
    formatted('secret-settings.txt', `${secretSettings(settings).join('\n')}\n`),
    { path: join(ROOT, 'docker', 'settings.env.example'), text: composeSettings(settings) },
    formatted('Chart.yaml', read('Chart.yaml').replace(/^(appVersion: ).*$/m, `$1'${version}'`)),
  ]);

  async function formatted(name, text) {
    const path = join(CHART, name);
    if (name.endsWith('.txt')) return { path, text };
    return { path, text: await format(text, { ...(await resolveConfig(path)), filepath: path }) };
  }
}
