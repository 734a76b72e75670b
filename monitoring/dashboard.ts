import type { Panel } from './panels.js';

/** A headline, and the panels below it, from left to right. */
export interface Section {
  title: string;
  panels: Panel[];
}

export interface Dashboard {
  /** Of the file, and of the address in Grafana. */
  name: string;
  title: string;
  description: string;
  sections: Section[];
}

/** What every query narrows down by: what is chosen at the top of a dashboard. */
export const CHOSEN = 'namespace=~"$namespace",job=~"$job"';
/** The same for what is known of an installation as a whole. */
export const INSTALLATION = 'namespace=~"$namespace"';

const COLUMNS = 24;
const SOURCE = { type: 'prometheus', uid: '${datasource}' };

/** Grafana's JSON model. */
export function dashboardModel({ name, title, description, sections }: Dashboard): Record<string, unknown> {
  return {
    uid: `unified-calendar-${name}`,
    title: `Unified Calendar / ${title}`,
    description,
    tags: ['unified-calendar'],
    schemaVersion: 41,
    version: 1,
    editable: true,
    graphTooltip: 1,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    links: [
      {
        type: 'dashboards',
        title: 'Unified Calendar',
        tags: ['unified-calendar'],
        asDropdown: true,
        includeVars: true,
      },
    ],
    annotations: { list: [] },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1 },
        choice('namespace', 'Namespace', 'label_values(calendar_build_info, namespace)'),
        choice('job', 'Job', `label_values(calendar_build_info{${INSTALLATION}}, job)`),
      ],
    },
    panels: placed(sections),
  };
}

/** Any of the values that a label has; all of them to begin with, series without the label included. */
function choice(name: string, label: string, query: string): Record<string, unknown> {
  return {
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

/** Panels one after the other, in lines of 24 columns. */
function placed(sections: Section[]): Record<string, unknown>[] {
  const models: Record<string, unknown>[] = [];
  let y = 0;
  const add = (type: string, gridPos: object, model: object) =>
    models.push({ id: models.length + 1, type, gridPos, ...model });
  for (const { title, panels } of sections) {
    add('row', { x: 0, y, w: COLUMNS, h: 1 }, { title, collapsed: false, panels: [] });
    y += 1;
    let x = 0;
    let lineHeight = 0;
    for (const { type, width, height, model } of panels) {
      if (x + width > COLUMNS) {
        y += lineHeight;
        [x, lineHeight] = [0, 0];
      }
      add(type, { x, y, w: width, h: height }, model);
      x += width;
      lineHeight = Math.max(lineHeight, height);
    }
    y += lineHeight;
  }
  return models;
}
