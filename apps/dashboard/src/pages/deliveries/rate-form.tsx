import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import type { ChangeEndpointInput, EndpointView } from '#operator-api';
import { api, segment, useChange } from '../../api/index.js';
import { notify } from '../../ui/index.js';
import { DialogForm } from './dialog-form.js';

export function RateForm({ endpoint, onClose }: { endpoint: EndpointView; onClose: () => void }) {
  const [rate, setRate] = useState<number | string>(endpoint.rateLimit ?? '');
  const change = useChange(
    (input: ChangeEndpointInput) => api.patch<EndpointView>(`/endpoints/${segment(endpoint.id)}`, input),
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
      <NumberInput
        label="Messages a second"
        description="At most; what is more waits. Empty: as they come."
        value={rate}
        onChange={setRate}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        data-autofocus
      />
    </DialogForm>
  );
}
