import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link } from 'react-router';
import { EmptyState, Page } from '../ui/index.js';

export function NotFoundPage() {
  return (
    <Page title="There is no such page">
      <EmptyState
        icon={<IconMapQuestion size={28} />}
        title="Nothing is at this address"
        action={
          <Button component={Link} to="/">
            Go to the overview
          </Button>
        }
      >
        The link may be mistyped, or made by another version of the dashboard.
      </EmptyState>
    </Page>
  );
}
