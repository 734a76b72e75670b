import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '..', '..', '..');
const DIRECTORY = join(ROOT, 'helm', 'unified-calendar', 'rules');

export interface Rule {
  expr: string;
  record?: string;
  alert?: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface AlertRule extends Rule {
  alert: string;
}

interface RuleFile {
  groups: { name: string; rules: Rule[] }[];
}

/** Absolute paths. */
export const RULE_FILES = readdirSync(DIRECTORY).map((name) => join(DIRECTORY, name));

export const RULES = RULE_FILES.flatMap((path) =>
  (parse(readFileSync(path, 'utf8')) as RuleFile).groups.flatMap(({ rules }) => rules),
);

export const ALERTS = RULES.filter((rule): rule is AlertRule => rule.alert !== undefined);

/** Names of what rules record. */
export const RECORDED: ReadonlySet<string> = new Set(RULES.flatMap(({ record }) => record ?? []));

/** The blocks of a page that are queries. */
export function queriesIn(page: string): string[] {
  return [...page.matchAll(/^ *```promql\n([\s\S]*?)```/gm)].map(([, query = '']) => query);
}
