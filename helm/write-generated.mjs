// `node helm/write-generated.mjs [--check]`: writes what the chart has from elsewhere, of a build. With --check it only
// says what is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { generatedFiles } from './generated-files.mjs';
import { ALL_SETTINGS } from '#providers';

const isCheck = process.argv.includes('--check');
const stale = (await generatedFiles(ALL_SETTINGS)).filter(({ path, text }) => readFileSync(path, 'utf8') !== text);
for (const { path, text } of stale) {
  console.log(`${isCheck ? 'out of date' : 'written'}: ${relative(process.cwd(), path)}`);
  if (!isCheck) writeFileSync(path, text);
}
process.exitCode = isCheck && stale.length > 0 ? 1 : 0;
