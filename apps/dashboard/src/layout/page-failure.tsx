import { Button } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { EmptyState, Page } from '../ui/index.js';

/** The page crashed, or an update of the service removed its files. */
export function PageFailure() {
  return (
    <Page title="This page could not be shown">
      <EmptyState
        icon={<IconPlugConnectedX size={28} />}
        title="Load it again"
        action={<Button onClick={() => window.location.reload()}>Reload</Button>}
      >
        The service may have been updated since this window was opened, or it cannot be reached. If reloading does not
        help, look into the log of the api.
      </EmptyState>
    </Page>
  );
}
