import { CATALOGUE, type MetricDefinition } from '../libs/platform/src/telemetry/catalogue.js';

/** Units of Grafana that these dashboards use. */
export type Unit = 'short' | 'reqps' | 'ops' | 's' | 'percentunit' | 'bytes' | 'none';

export interface Query {
  expr: string;
  /** Name of each series, e.g. `{{provider}}`. */
  legend: string;
}

interface Step {
  color: 'green' | 'orange' | 'red';
  /** From this value on; the first one has none. */
  value: number | null;
}

interface PanelBasics {
  title: string;
  /** What it shows, and what to make of it. */
  description: string;
  unit: Unit;
  /** Of 24 columns. */
  width: number;
  thresholds?: Step[];
}

/** One panel without its place, as Grafana's JSON model has it. */
export interface Panel {
  type: string;
  width: number;
  height: number;
  model: Record<string, unknown>;
}

const SOURCE = { type: 'prometheus', uid: '${datasource}' };
const PLAIN: Step[] = [{ color: 'green', value: null }];

/** Green below, then orange, then red. */
export function risingThresholds(orange: number, red: number): Step[] {
  return [
    { color: 'green', value: null },
    { color: 'orange', value: orange },
    { color: 'red', value: red },
  ];
}

/** Red below, then orange, then green. */
export function fallingThresholds(orange: number, green: number): Step[] {
  return [
    { color: 'red', value: null },
    { color: 'orange', value: orange },
    { color: 'green', value: green },
  ];
}

/** Lines over time. With thresholds, these are drawn as lines, too. `isStacked`: parts of a whole. */
export function timeSeries(basics: PanelBasics & { queries: Query[]; isStacked?: boolean; max?: number }): Panel {
  const { unit, thresholds, queries, isStacked = false, max } = basics;
  return {
    type: 'timeseries',
    width: basics.width,
    height: 8,
    model: {
      ...described(basics),
      fieldConfig: {
        defaults: {
          unit,
          min: 0,
          ...(max === undefined ? {} : { max }),
          color: { mode: 'palette-classic' },
          thresholds: { mode: 'absolute', steps: thresholds ?? PLAIN },
          custom: {
            drawStyle: 'line',
            lineWidth: 1,
            fillOpacity: isStacked ? 30 : 5,
            showPoints: 'never',
            stacking: { mode: isStacked ? 'normal' : 'none', group: 'A' },
            thresholdsStyle: { mode: thresholds === undefined ? 'off' : 'dashed' },
          },
        },
        overrides: [],
      },
      options: {
        legend: { displayMode: 'table', placement: 'bottom', showLegend: true, calcs: ['lastNotNull', 'max'] },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
      targets: targets(queries),
    },
  };
}

/** One number, or one for each series, as of now. */
export function stat(basics: PanelBasics & { queries: Query[] }): Panel {
  const { unit, thresholds, queries } = basics;
  return {
    type: 'stat',
    width: basics.width,
    height: 4,
    model: {
      ...described(basics),
      fieldConfig: {
        defaults: { unit, thresholds: { mode: 'absolute', steps: thresholds ?? PLAIN } },
        overrides: [],
      },
      options: {
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        colorMode: thresholds === undefined ? 'none' : 'value',
        graphMode: 'area',
        textMode: queries.length > 1 || queries[0]?.legend.includes('{{') === true ? 'value_and_name' : 'value',
      },
      targets: targets(queries),
    },
  };
}

/** How many fell into each bucket of a histogram, over time. @param expr increases `by (le)` */
export function heatmap(basics: PanelBasics & { expr: string }): Panel {
  const { unit, expr } = basics;
  return {
    type: 'heatmap',
    width: basics.width,
    height: 8,
    model: {
      ...described(basics),
      fieldConfig: { defaults: { custom: { scaleDistribution: { type: 'linear' } } }, overrides: [] },
      options: {
        calculate: false,
        cellGap: 1,
        color: { mode: 'scheme', scheme: 'Oranges', steps: 64, exponent: 0.5 },
        exemplars: { color: 'rgba(255,0,255,0.7)' },
        legend: { show: true },
        tooltip: { mode: 'single', yHistogram: true },
        yAxis: { unit },
      },
      targets: targets([{ expr, legend: '{{le}}' }]).map((target) => ({
        ...target,
        format: 'heatmap',
      })),
    },
  };
}

/** One line for each series, as of now. `columns`: labels, and what they are called. */
export function table(
  basics: PanelBasics & { expr: string; columns: Record<string, string>; valueName: string },
): Panel {
  const { unit, expr, columns, valueName } = basics;
  return {
    type: 'table',
    width: basics.width,
    height: 8,
    model: {
      ...described(basics),
      fieldConfig: { defaults: { unit }, overrides: [] },
      options: { showHeader: true, sortBy: [{ displayName: valueName, desc: true }] },
      targets: [{ refId: 'A', expr, editorMode: 'code', format: 'table', instant: true, range: false }],
      transformations: [
        { id: 'filterFieldsByName', options: { include: { names: [...Object.keys(columns), 'Value'] } } },
        { id: 'organize', options: { renameByName: { ...columns, Value: valueName } } },
      ],
    },
  };
}

function described({ title, description }: PanelBasics): Record<string, unknown> {
  return { title, description, datasource: SOURCE };
}

function targets(queries: Query[]): Record<string, unknown>[] {
  return queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    expr,
    legendFormat: legend,
    editorMode: 'code',
    range: true,
    exemplar: hasExemplars(expr),
  }));
}

/** Buckets of some histograms name traces: they are shown as dots that lead there. */
function hasExemplars(expr: string): boolean {
  return Object.entries<MetricDefinition>(CATALOGUE).some(
    ([name, { hasExemplars }]) => hasExemplars === true && expr.includes(`${name}_bucket`),
  );
}
