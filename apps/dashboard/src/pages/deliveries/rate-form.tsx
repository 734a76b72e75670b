import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, segment, useChange, type Api } from '../../api/index.js';
import { DialogForm, notify } from '../../ui/index.js';

export function RateForm({ endpoint, onClose }: { endpoint: Api.EndpointSummary; onClose: () => void }) {
  const [rate, setRate] = useState(String(endpoint.rateLimit ?? ''));
  const change = useChange(
    (input: Api.UpdateEndpoint) => api.patch<Api.EndpointSummary>(`/endpoints/${segment(endpoint.id)}`, input),
    {
      refreshes: ['/endpoints'],
      onDone: ({ rateLimit }) => {
        notify(rateLimit === null ? 'The endpoint has no rate any more.' : `The rate is ${rateLimit} a second.`);
        onClose();
      },
    },
  );
  return (
    <DialogForm
      submitLabel="Save"
      onSubmit={() => change.mutate({ rateLimit: rate === '' ? null : Number(rate) })}
      onCancel={onClose}
      change={change}
    >
      <TextInput
        label="Messages a second"
        description="At most; what is more waits. Empty: as they come."
        value={rate}
        onChange={(event) => setRate(event.currentTarget.value)}
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        data-autofocus
      />
    </DialogForm>
  );
}
