import { Button, Modal, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { api, useChange, type Api } from '../../api/index.js';
import { count } from '../../charts/index.js';
import { fromLocalField, toLocalField } from '../../filters/index.js';
import { useMayChange } from '../../session/index.js';
import { DialogForm, notify } from '../../ui/index.js';

const DAY_MS = 86_400_000;

type Filters = NonNullable<Api.ListMessagesData['query']>;

/** Sends all finished messages of the filters once more. Renders nothing for viewers, nor for messages that wait. */
export function ResendMessages({ filters }: { filters: Filters }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const mayChange = useMayChange();
  const { state, ...others } = filters;
  if (!mayChange || (state !== 'failed' && state !== 'delivered')) return null;
  return (
    <>
      <Button variant="default" leftSection={<IconSend size={16} aria-hidden />} onClick={open}>
        Send again…
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={`Send ${state} messages again`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ResendForm filters={{ state, ...others }} onClose={close} />
      </Modal>
    </>
  );
}

interface ResendFormProps {
  filters: Filters & Pick<Api.ResendMessages, 'state'>;
  onClose: () => void;
}

function ResendForm({ filters, onClose }: ResendFormProps) {
  const [since, setSince] = useState(() => toLocalField(filters.from ?? new Date(Date.now() - DAY_MS).toISOString()));
  const resend = useChange(resendAll, {
    refreshes: ['/messages', '/deliveries'],
    onDone: (resent) => {
      notify(resent === 1 ? 'One message is sent again.' : `${count(resent)} messages are sent again.`);
      onClose();
    },
  });
  const from = fromLocalField(since);
  return (
    <DialogForm
      submitLabel="Send again"
      onSubmit={() => resend.mutate({ ...filters, from })}
      onCancel={onClose}
      isReady={from !== ''}
      change={resend}
    >
      <Text size="sm">
        Every {filters.state} message of the present filters gets one more attempt under its id, oldest first, at the
        rate of its endpoint. Disabled endpoints get nothing.
      </Text>
      <TextInput
        type="datetime-local"
        label="Made since"
        value={since}
        onChange={(event) => setSince(event.currentTarget.value)}
        required
        data-autofocus
      />
    </DialogForm>
  );
}

/** @returns number of messages */
async function resendAll(body: Api.ResendMessages): Promise<number> {
  let total = 0;
  for (let after: string | null | undefined = body.after; after !== null;) {
    const page: Api.ResentMessages = await api.post('/messages/resend', {
      ...body,
      ...(after === undefined ? {} : { after }),
    });
    total += page.resent;
    after = page.after;
  }
  return total;
}
