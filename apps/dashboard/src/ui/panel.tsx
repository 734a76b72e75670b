import { Paper, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './panel.module.css';

export interface PanelProps {
  title: string;
  badge?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, badge, children }: PanelProps) {
  const id = useId();
  return (
    <Paper withBorder component="section" aria-labelledby={id} className={classes.panel}>
      <header className={classes.header}>
        <Title order={2} size="h4" id={id} className={classes.title}>
          {title}
        </Title>
        {badge}
      </header>
      {children}
    </Paper>
  );
}
