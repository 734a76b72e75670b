import { Code, Group } from '@mantine/core';
import { CopyButton } from '../../ui/index.js';
import classes from './app-id.module.css';

export function AppId({ id }: { id: string }) {
  return (
    <Group component="span" gap={4} wrap="nowrap" className={classes.root}>
      <Code className={classes.id}>{id}</Code>
      <CopyButton value={id} label="Copy APP_ID" />
    </Group>
  );
}
