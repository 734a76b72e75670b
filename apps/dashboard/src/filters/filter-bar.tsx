import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useApi, type Api } from '../api/index.js';
import { fromLocalField, toLocalField } from './local-time.js';
import classes from './filter-bar.module.css';

export interface FilterBarProps {
  isFiltered: boolean;
  onClear: () => void;
  children: ReactNode;
}

export function FilterBar({ isFiltered, onClear, children }: FilterBarProps) {
  return (
    <div role="search" aria-label="Filters" className={classes.bar}>
      {children}
      <Button variant="subtle" color="gray" onClick={onClear} disabled={!isFiltered}>
        Clear filters
      </Button>
    </div>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string) => void;
}

/** @param any label for no filter */
export function ChoiceFilter({
  value,
  onChange,
  options,
  any,
  ...label
}: FilterProps & { options: readonly { value: string; label: string }[]; any: string }) {
  return (
    <NativeSelect
      {...label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: any }, ...options]}
    />
  );
}

/** Applies the filter on Enter or blur, not with every keystroke. */
export function TextFilter({ value = '', onChange, ...field }: FilterProps & { placeholder?: string; type?: string }) {
  const commit = (text: string) => {
    if (text.trim() !== value) onChange(text);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    commit(new FormData(event.currentTarget).get('text') as string);
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        {...field}
        key={value}
        name="text"
        defaultValue={value}
        onBlur={(event) => commit(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  );
}

export function ApplicationFilter({ value, onChange }: Omit<FilterProps, 'label'>) {
  const applications = useApi<Api.ApplicationList>('/applications').data?.data ?? [];
  const options = applications.map(({ id, name }) => ({ value: id, label: name }));
  // The application was deleted, or its name is still loading.
  if (value !== undefined && !options.some((option) => option.value === value)) options.push({ value, label: value });
  return (
    <ChoiceFilter label="Application" any="All applications" value={value} onChange={onChange} options={options} />
  );
}

interface TimeFiltersProps {
  from?: string | undefined;
  to?: string | undefined;
  onChange: (change: { from: string } | { to: string }) => void;
}

/** `from` inclusive, `to` exclusive; ISO 8601 in the URL, the operator's time zone in the fields. */
export function TimeFilters({ from, to, onChange }: TimeFiltersProps) {
  const field = { type: 'datetime-local' };
  return (
    <>
      <TextFilter
        {...field}
        label="From"
        value={toLocalField(from)}
        onChange={(value) => onChange({ from: fromLocalField(value) })}
      />
      <TextFilter
        {...field}
        label="To"
        value={toLocalField(to)}
        onChange={(value) => onChange({ to: fromLocalField(value) })}
      />
    </>
  );
}

export function choices<Value extends string>(names: Record<Value, string>): { value: Value; label: string }[] {
  return (Object.entries(names) as [Value, string][]).map(([value, label]) => ({ value, label }));
}
