/** One selector of a query: a metric and what its labels are held to. */
export interface Selector {
  metric: string;
  matchers: { label: string; operator: string; value: string }[];
}

export interface Query {
  selectors: Selector[];
  /** Labels in `by`, `on`, `group_left` and the like. */
  groupedBy: string[];
}

const GROUPING = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const SELECTOR = /([A-Za-z_:][\w:]*)\s*\{([^{}]*)\}/g;
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g;
const WORD = /(?<![\w.])[A-Za-z_:][\w:]*(?![\w:]|\s*\()/g;
const DURATION = /\[[^\]]*\]|\boffset\s+\w+/g;
const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'by', 'on', 'without', 'ignoring', 'group_left']);

/** What a query reads. It knows as much of PromQL as the rules and dashboards of this repository use. */
export function parseQuery(text: string): Query {
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  const rest = text
    .replace(/#.*$/gm, ' ')
    .replace(SELECTOR, (_, metric: string, matchers: string) => {
      selectors.push({ metric, matchers: matchersOf(matchers) });
      return ' ';
    })
    .replace(GROUPING, (_, labels: string) => {
      groupedBy.push(...labels.split(/[\s,]+/).filter((label) => label !== ''));
      return ' ';
    })
    .replace(DURATION, ' ')
    .replace(/"[^"]*"/g, ' ');
  for (const [word] of rest.matchAll(WORD)) {
    if (!KEYWORDS.has(word)) selectors.push({ metric: word, matchers: [] });
  }
  return { selectors, groupedBy };
}

function matchersOf(text: string): Selector['matchers'] {
  return [...text.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({ label, operator, value }));
}
