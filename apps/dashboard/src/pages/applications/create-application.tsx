import { Modal } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, useChange, type Api } from '../../api/index.js';
import { DialogForm } from '../../ui/index.js';
import { ApplicationFields, type ApplicationInput } from './application-fields.js';
import { sectionPath } from './application-frame.js';

const NEW: ApplicationInput = { name: '', environment: 'development', rateLimitRps: null };

interface CreateApplicationProps {
  isOpen: boolean;
  onClose: () => void;
}

export function CreateApplication({ isOpen, onClose }: CreateApplicationProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create an application" closeButtonProps={{ 'aria-label': 'Close' }}>
      <CreationForm onClose={onClose} />
    </Modal>
  );
}

/** Continues to the keys page: an application needs a key. */
function CreationForm({ onClose }: Pick<CreateApplicationProps, 'onClose'>) {
  const [input, setInput] = useState(NEW);
  const navigate = useNavigate();
  const creation = useChange((body: Api.CreateApplication) => api.post<Api.Application>('/applications', body), {
    refreshes: ['/applications'],
    onDone: ({ id }) => void navigate(sectionPath(id, 'keys')),
  });
  return (
    <DialogForm submitLabel="Create" onSubmit={() => creation.mutate(input)} onCancel={onClose} change={creation}>
      <ApplicationFields value={input} onChange={setInput} error={creation.error} />
    </DialogForm>
  );
}
