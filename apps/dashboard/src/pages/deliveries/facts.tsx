import { DataList } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './deliveries.module.css';

/** What is known of something, by names. `undefined` is not here yet; its place is taken. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <DataList className={classes.panel} gap="xs">
      {Object.entries(facts).map(([label, value]) => (
        <DataList.Item key={label}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue className={classes.url}>{value ?? '…'}</DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  );
}
