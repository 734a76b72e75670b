import { useSearchParams } from 'react-router';
import { changeFilters, readFilters, type FilterRules, type Filters } from './filter-rules.js';

export interface UsedFilters<Rules extends FilterRules> {
  filters: Filters<Rules>;
  /** Whether filters may hide rows. */
  isFiltered: boolean;
  change: (changes: { [Name in keyof Rules]?: string | undefined }) => void;
  clear: () => void;
}

/** Keeps filters in the URL, for sharing and for the back button. */
export function useFilters<Rules extends FilterRules>(rules: Rules): UsedFilters<Rules> {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params, rules);
  // Reads the current URL, because a second change may precede the next render.
  const set = (changes: Readonly<Record<string, string | undefined>>) =>
    setParams(changeFilters(new URLSearchParams(window.location.search), changes));
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    change: set,
    clear: () => set(Object.fromEntries(Object.keys(rules).map((name) => [name, undefined]))),
  };
}
