import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { metricsTable } from '#platform/telemetry';

describe('docs/operations/telemetry.md', () => {
  it('holds the table of what is measured as it is', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operations/telemetry.md'), 'utf8');
    expect(page).toContain(await format(metricsTable(), { parser: 'markdown' }));
  });
});
