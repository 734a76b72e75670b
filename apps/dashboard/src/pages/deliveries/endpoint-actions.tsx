import { Button, Menu, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, queryClient, segment, useChange, type Api } from '../../api/index.js';
import { useMayChange } from '../../session/index.js';
import { Confirm, ErrorNote, notify } from '../../ui/index.js';
import { RateForm } from './rate-form.js';
import { RecoverForm } from './recover-form.js';
import { Rotation } from './rotation.js';

/** Closing a dialog drops its input and output. */
const FORMS = {
  recover: { title: 'Recover', Form: RecoverForm },
  rate: { title: 'Set rate', Form: RateForm },
  rotate: { title: 'Rotate secret', Form: Rotation },
} as const;

/** Renders nothing for viewers. */
export function EndpointActions({ endpoint }: { endpoint: Api.EndpointSummary }) {
  const [dialog, setDialog] = useState<keyof typeof FORMS>('recover');
  const [isAsking, asking] = useDisclosure(false);
  const [isDeleting, deleting] = useDisclosure(false);
  const ask = (what: keyof typeof FORMS) => {
    setDialog(what);
    asking.open();
  };
  const navigate = useNavigate();
  const path = `/endpoints/${segment(endpoint.id)}`;
  const refreshes = ['/endpoints', '/messages', '/deliveries'];

  const test = useChange(() => api.post(`${path}/test`), {
    refreshes,
    onDone: () => notify('The test event is on its way: it is the newest message below.'),
  });
  const enable = useChange(() => api.post(`${path}/enable`), {
    refreshes,
    onDone: () => notify('Enabled. “Recover” sends again what failed meanwhile.'),
  });
  const remove = useChange(() => api.delete(path), {
    onDone: () => {
      notify('The endpoint is deleted.');
      // Only the lists: this page, while still mounted, would reload the deleted endpoint.
      queryClient.removeQueries({ queryKey: ['/endpoints'] });
      void navigate('/endpoints', { replace: true });
    },
  });

  if (!useMayChange()) return null;
  const error = test.error ?? enable.error;
  const { title, Form } = FORMS[dialog];
  const isDisabled = endpoint.state === 'disabled';
  return (
    <>
      {isDisabled ? (
        <Button onClick={() => enable.mutate()} loading={enable.isPending}>
          Enable
        </Button>
      ) : (
        <Button leftSection={<IconSend size={16} aria-hidden />} onClick={() => test.mutate()} loading={test.isPending}>
          Send test event
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={isDisabled} onClick={() => ask('recover')}>
            Recover…
          </Menu.Item>
          <Menu.Item onClick={() => ask('rate')}>Set rate…</Menu.Item>
          <Menu.Item onClick={() => ask('rotate')}>Rotate secret…</Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" onClick={deleting.open}>
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={isAsking}
        onClose={asking.close}
        title={title}
        size="lg"
        // A stray click must not close a secret that is shown once.
        closeOnClickOutside={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Form endpoint={endpoint} onClose={asking.close} />
      </Modal>
      <Confirm
        isOpen={isDeleting}
        onClose={deleting.close}
        onConfirm={() => remove.mutate()}
        title="Delete this endpoint?"
        confirmLabel="Delete endpoint"
        isPending={remove.isPending}
        error={remove.error}
      >
        Nothing is sent to {endpoint.url} any more, and its messages are dropped.{' '}
        {endpoint.kind === 'subscription' &&
          'Its application has to subscribe to the calendar again to receive changes.'}
      </Confirm>
      {error && <ErrorNote error={error} />}
    </>
  );
}
