const BREAKS: [RegExp, string][] = [
  [/\bdrop\s+(?:table|view|schema|type|function)\b/i, 'drops what it uses'],
  [/\bdrop\s+column\b/i, 'drops a column that it names'],
  [/\brename\b/i, 'renames what it names'],
  [/\balter\s+(?:column\s+)?\S+\s+(?:set\s+data\s+)?type\b/i, 'changes the type of what it reads and writes'],
  [/\bset\s+not\s+null\b/i, 'refuses the rows that it writes'],
  [/\bdrop\s+default\b/i, 'refuses the rows that it writes'],
  [
    /\badd\s+(?:constraint\s+\S+\s+)?(?:check|unique|exclude|foreign\s+key|primary\s+key)\b/i,
    'may refuse what it writes',
  ],
  [/\bcreate\s+unique\s+index\b/i, 'may refuse what it writes'],
  [/\brevoke\b/i, 'takes its rights away'],
  [/\btruncate\b/i, 'loses its rows'],
];
const ADDED_COLUMN = /\badd\s+(?:column\s+)?(?:if\s+not\s+exists\s+)?"[^"]+"\s[^,;]*/gi;
const CREATED = /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gi;
const ALTERED = /\b(?:alter\s+table|on)\s+(?:only\s+|if\s+exists\s+)?"?(\w+)"?/i;

export interface Breaking {
  statement: string;
  how: string;
}

/** Ignores tables that the same migration creates: no older code uses them. */
export function breakingStatements(statements: string[]): Breaking[] {
  const own = new Set(statements.flatMap((text) => [...text.matchAll(CREATED)].map(([, table]) => table)));
  return statements.flatMap((statement) => {
    const how = isAboutOwn(statement, own) ? undefined : howItBreaks(statement);
    return how === undefined ? [] : [{ statement, how }];
  });
}

function isAboutOwn(statement: string, own: Set<string | undefined>): boolean {
  const table = ALTERED.exec(statement)?.[1];
  return /^\s*create\s+(?:unlogged\s+)?table\b/i.test(statement) || (table !== undefined && own.has(table));
}

function howItBreaks(statement: string): string | undefined {
  const found = BREAKS.find(([pattern]) => pattern.test(statement))?.[1];
  if (found !== undefined) return found;
  const columns = statement.match(ADDED_COLUMN) ?? [];
  const isRequired = columns.some(
    (column) => /\bnot\s+null\b/i.test(column) && !/\b(?:default|generated)\b/i.test(column),
  );
  return isRequired ? 'asks for a column that it does not write' : undefined;
}
