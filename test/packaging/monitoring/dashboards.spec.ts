import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARD_FILES, DASHBOARDS_DIRECTORY } from '../../../monitoring/dashboard-files.js';
import { unknownIn } from './catalogue-rules.js';
import { RECORDED, ROOT } from './rule-files.js';

interface PanelModel {
  id: number;
  type: string;
  title: string;
  description: string;
  datasource: { uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat?: string; exemplar?: boolean }[];
}

const dashboards = [...DASHBOARD_FILES].map(([name, text]) => ({ name, model: JSON.parse(text) }));

it('the files of the chart are those that are said here: else run `npm run grafana`', () => {
  const directory = join(ROOT, DASHBOARDS_DIRECTORY);
  expect(readdirSync(directory).sort()).toEqual([...DASHBOARD_FILES.keys()].sort());
  for (const [name, text] of DASHBOARD_FILES) expect(readFileSync(join(directory, name), 'utf8')).toBe(text);
});

it('dashboards have titles and addresses of their own', () => {
  for (const property of ['title', 'uid']) {
    expect(new Set(dashboards.map(({ model }) => model[property])).size).toBe(dashboards.length);
  }
});

it('budgets are those of docs/operations/slo.md', () => {
  const page = readFileSync(join(ROOT, 'docs', 'operations', 'slo.md'), 'utf8');
  const promised = [...page.matchAll(/^\| `([a-z_]+)` +\| ([\d.]+) % /gm)].map(([, slo = '', percent = '']) => [
    slo,
    Number((1 - Number(percent) / 100).toFixed(6)),
  ]);
  const shown = [...(DASHBOARD_FILES.get('overview.json') ?? '').matchAll(/slo=\\"([\w-]+)\\"\} \/ ([\d.]+)"/g)];
  expect(shown.length).toBeGreaterThanOrEqual(promised.length);
  expect(new Map(shown.map(([, slo = '', budget]) => [slo, Number(budget)]))).toEqual(
    new Map(promised as [string, number][]),
  );
});

describe.each(dashboards)('$name', ({ model }) => {
  const panels = (model.panels as PanelModel[]).filter(({ type }) => type !== 'row');

  it('takes its data from where somebody chooses, of what somebody chooses', () => {
    expect(model.schemaVersion).toBeGreaterThanOrEqual(39);
    expect(model.templating.list.map(({ name }: { name: string }) => name)).toEqual(['datasource', 'namespace', 'job']);
    expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']));
  });

  it('has panels side by side, none on another', () => {
    const cells = (model.panels as PanelModel[]).flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...cells.map((cell) => Number(cell.split(' ')[0])))).toBeLessThan(24);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it.each(panels.map((panel) => [panel.title, panel] as const))(
    '%s: explains itself, and asks for what is measured',
    (_, panel) => {
      expect(panel.description).toMatch(/[.!]$/);
      expect(panel.targets.length).toBeGreaterThan(0);
      for (const { expr, legendFormat } of panel.targets) {
        expect(unknownIn(expr, RECORDED)).toEqual([]);
        expect(expr).toMatch(/namespace=~"\$namespace"|^count\(ALERTS/);
        if (panel.type !== 'table') expect(legendFormat).not.toBe('');
      }
    },
  );
});
