import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './overview.module.css';

export interface SectionProps<T> {
  /** undefined while loading; null when unavailable. */
  of: T | null | undefined;
  /** Receives undefined while loading and must then take the same space. */
  children: (section: T | undefined) => ReactNode;
}

/** A section of the overview that loads and fails independently, without moving others. */
export function Section<T>({ of, children }: SectionProps<T>) {
  return (
    <div className={classes.section} aria-busy={of === undefined}>
      {children(of ?? undefined)}
      {of === null && (
        <Text size="sm" role="status" className={classes.unread}>
          It cannot be read just now. It is asked for again in a few seconds.
        </Text>
      )}
    </div>
  );
}
