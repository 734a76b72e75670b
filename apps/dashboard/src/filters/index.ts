export {
  ApplicationFilter,
  ChoiceFilter,
  choices,
  FilterBar,
  TextFilter,
  TimeFilters,
  type FilterBarProps,
} from './filter-bar.js';
export { filteredPath, type FilterRules, type Filters } from './filter-rules.js';
export { useFilters, type UsedFilters } from './use-filters.js';
export { fromLocalField, toLocalField } from './local-time.js';
