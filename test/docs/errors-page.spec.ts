import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '#domain/system';
import { ERROR_MEANING, ERROR_STATUS } from '../../apps/api/src/errors/error-status.js';

const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs/guides/errors.md'), 'utf8');

describe('docs/guides/errors.md', () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` +\| (\d{3}) +\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm)];

  it('has every code, with its status and what it means', () => {
    expect(rows.map(([, code, status, meaning]) => [code, Number(status), meaning])).toEqual(
      ERROR_CODES.map((code) => [code, ERROR_STATUS[code], ERROR_MEANING[code]]),
    );
  });

  it('says to try again what passes by itself, and nothing that fails again', () => {
    const again = (wanted: RegExp) => rows.filter(([, , , , text = '']) => wanted.test(text)).map(([, code]) => code);
    const passing = ERROR_CODES.filter((code) => [429, 502, 503, 504].includes(ERROR_STATUS[code]));
    expect(again(/^yes$/)).toEqual(passing);
    expect(
      again(/^no$/).every((code) => ![409, 410, 412, 429, 500, 502, 503, 504].includes(ERROR_STATUS[code as never])),
    ).toBe(true);
  });
});
