/** Type of each filter: free text, or one of some values. */
export type FilterRules = Readonly<Record<string, 'text' | readonly string[]>>;

export type Filters<Rules extends FilterRules> = {
  [Name in keyof Rules]?: Rules[Name] extends readonly (infer Value)[] ? Value : string;
};

/** Reads filters from a URL. Drops invalid values, because anyone can edit a URL. */
export function readFilters<Rules extends FilterRules>(params: URLSearchParams, rules: Rules): Filters<Rules> {
  const given = Object.entries(rules).flatMap(([name, rule]) => {
    const value = params.get(name)?.trim() ?? '';
    return value !== '' && (rule === 'text' || rule.includes(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(given) as Filters<Rules>;
}

/** `undefined` and '' remove a filter. */
export function changeFilters(
  params: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const changed = new URLSearchParams(params);
  for (const [name, value = ''] of Object.entries(changes)) {
    if (value.trim() === '') changed.delete(name);
    else changed.set(name, value.trim());
  }
  return changed;
}

export function filteredPath(path: string, filters: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(filters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
