import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './overview.module.css';

export interface PartProps<T> {
  /** undefined: not here yet; null: it could not be read this time. */
  of: T | null | undefined;
  /** undefined: draws what takes the same room. */
  children: (part: T | undefined) => ReactNode;
}

/** A part of the overview, which comes and fails without the others, and moves nothing by it. */
export function Part<T>({ of, children }: PartProps<T>) {
  return (
    <div className={classes.part} aria-busy={of === undefined}>
      {children(of ?? undefined)}
      {of === null && (
        <Text size="sm" role="status" className={classes.unread}>
          It cannot be read just now. It is asked for again in a few seconds.
        </Text>
      )}
    </div>
  );
}
