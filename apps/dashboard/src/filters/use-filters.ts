import { useSearchParams } from 'react-router';
import { changeFilters, readFilters, type FilterRules, type Filters } from './filter-rules.js';

export interface UsedFilters<Rules extends FilterRules> {
  filters: Filters<Rules>;
  /** Some are set: a list without rows may have some without them. */
  isFiltered: boolean;
  change: (changes: { [Name in keyof Rules]?: string | undefined }) => void;
  clear: () => void;
}

/** Filters that are kept in the address: to be sent to a colleague, and there again on the way back. */
export function useFilters<Rules extends FilterRules>(rules: Rules): UsedFilters<Rules> {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params, rules);
  // Of the address, not of what was rendered: a second change may come before the first one is shown.
  const set = (changes: Readonly<Record<string, string | undefined>>) =>
    setParams(changeFilters(new URLSearchParams(window.location.search), changes));
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    change: set,
    clear: () => set(Object.fromEntries(Object.keys(rules).map((name) => [name, undefined]))),
  };
}
