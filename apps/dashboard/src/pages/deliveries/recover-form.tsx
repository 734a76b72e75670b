import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, segment, useChange, type Api } from '../../api/index.js';
import { count } from '../../charts/index.js';
import { fromLocalField, toLocalField } from '../../filters/index.js';
import { DialogForm, notify } from '../../ui/index.js';

const DAY_MS = 86_400_000;

export function RecoverForm({ endpoint, onClose }: { endpoint: Api.EndpointSummary; onClose: () => void }) {
  const [since, setSince] = useState(() =>
    toLocalField(endpoint.failingSince ?? new Date(Date.now() - DAY_MS).toISOString()),
  );
  const recover = useChange(
    (input: Api.Recover) => api.post<Api.Recovered>(`/endpoints/${segment(endpoint.id)}/recover`, input),
    {
      refreshes: ['/endpoints', '/messages'],
      onDone: ({ recovered }) => {
        notify(outcome(recovered));
        onClose();
      },
    },
  );
  const instant = fromLocalField(since);
  return (
    <DialogForm
      submitLabel="Recover"
      onSubmit={() => recover.mutate({ since: instant })}
      onCancel={onClose}
      isReady={instant !== ''}
      change={recover}
    >
      <Text size="sm">
        Every message that failed for good is sent once more, from the beginning of the schedule. After a long failure
        the application is faster to read its calendars anew than to receive thousands of messages.
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

function outcome(recovered: number): string {
  if (recovered === 0) return 'Nothing failed since then.';
  return recovered === 1 ? 'One message is sent again.' : `${count(recovered)} messages are sent again.`;
}
