import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { useApi, type Api } from '../api/index.js';
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

/** One of few. `any`: what it is called when it does not matter. */
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

/** Looks when Enter is pressed or the field is left, not with every letter. */
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
  // One that was deleted, or whose name is not here yet.
  if (value !== undefined && !options.some((option) => option.value === value)) options.push({ value, label: value });
  return (
    <ChoiceFilter label="Application" any="All applications" value={value} onChange={onChange} options={options} />
  );
}

/** Options of a {@link ChoiceFilter}, from what its values are called. */
export function choices<Value extends string>(names: Record<Value, string>): { value: Value; label: string }[] {
  return (Object.entries(names) as [Value, string][]).map(([value, label]) => ({ value, label }));
}
