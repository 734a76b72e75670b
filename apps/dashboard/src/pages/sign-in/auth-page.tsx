import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useDocumentTitle, useHeadingFocus } from '../../ui/index.js';
import classes from './auth-page.module.css';

export interface AuthPageProps {
  title: string;
  description?: ReactNode;
  children: ReactNode;
}

export function AuthPage({ title, description, children }: AuthPageProps) {
  useDocumentTitle(title);
  const heading = useHeadingFocus();
  return (
    <Paper withBorder shadow="sm" className={classes.box}>
      <Stack gap="md">
        <div>
          <Title order={1} size="h3" ref={heading} tabIndex={-1} className={classes.title}>
            {title}
          </Title>
          {description && (
            <Text c="dimmed" size="sm" component="div" mt={4}>
              {description}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  );
}
