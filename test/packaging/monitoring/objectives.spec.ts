import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unknownIn } from './catalogue-rules.js';
import { ALERTS, queriesIn, RECORDED, ROOT, RULES } from './rule-files.js';

/** How fast the budget is used up, and over which windows that is seen. */
const SPEEDS = {
  critical: [
    { speed: 14.4, short: '5m', long: '1h' },
    { speed: 6, short: '30m', long: '6h' },
  ],
  warning: [
    { speed: 3, short: '2h', long: '1d' },
    { speed: 1, short: '6h', long: '3d' },
  ],
};

describe('docs/operations/slo.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'operations', 'slo.md'), 'utf8');
  const promises = [...page.matchAll(/^\| `([a-z_]+)` +\| ([\d.]+) % /gm)].map(([, slo = '', percent = '']) => ({
    slo,
    budget: Number((1 - Number(percent) / 100).toFixed(6)),
  }));
  const recorded = (name: string, slo: string) =>
    RULES.find(({ record, labels }) => record === `calendar:slo_${name}:rate5m` && labels?.['slo'] === slo)?.expr;

  it('promises what is recorded', () => {
    const slos = RULES.flatMap(({ record, labels }) => (record === 'calendar:slo_bad:rate5m' ? [labels?.['slo']] : []));
    expect(promises.map(({ slo }) => slo)).toEqual(slos);
  });

  it.each(promises)('$slo: shows the queries of the rules, letter for letter', ({ slo }) => {
    const section = page.split(/^## /m).find((text) => text.startsWith(`\`${slo}\``)) ?? '';
    expect(queriesIn(section).map((query) => query.trimEnd())).toEqual([
      recorded('valid', slo)?.trimEnd(),
      recorded('bad', slo)?.trimEnd(),
    ]);
  });

  it('asks for what is measured', () => {
    expect(queriesIn(page).flatMap((query) => unknownIn(query, RECORDED))).toEqual([]);
  });

  describe.each(promises)('$slo', ({ slo, budget }) => {
    it.each(['critical', 'warning'] as const)('is alerted of by how fast its budget goes: %s', (severity) => {
      const alerts = ALERTS.filter(({ labels }) => labels?.['slo'] === slo && labels['severity'] === severity);
      expect(alerts).toHaveLength(1);
      const compared = [
        ...(alerts[0]?.expr ?? '').matchAll(/ratio_rate(\w+)\{slo="([\w-]+)"\} > ([\d.]+)(?: \* ([\d.]+))?/g),
      ];
      expect(
        compared.map(([, window, of, factor, share]) => ({ window, of, limit: Number(factor) * Number(share ?? 1) })),
      ).toEqual(
        SPEEDS[severity].flatMap(({ speed, short, long }) =>
          [short, long].map((window) => ({ window, of: slo, limit: expect.closeTo(speed * budget, 9) })),
        ),
      );
    });
  });
});
