import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, ApiError, segment, useChange, type Api } from '../api/index.js';
import { filteredPath } from '../filters/index.js';

/** Each has a page for one of them. */
const RECORDS = ['accounts', 'applications', 'endpoints', 'messages'];

/** Leads to the page of whatever has an id: what logs, errors and webhooks name. */
export function FindById({ onFound }: { onFound: (() => void) | undefined }) {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const search = useChange(pageOf, {
    onDone: (page) => {
      if (page === null) return;
      setId('');
      onFound?.();
      void navigate(page);
    },
  });
  const isUnknown = search.data === null && !search.isPending;
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== '') search.mutate(id.trim());
      }}
    >
      <TextInput
        aria-label="Find by id"
        placeholder="Find by id"
        size="xs"
        leftSection={<IconSearch size={14} aria-hidden />}
        value={id}
        onChange={(event) => {
          setId(event.currentTarget.value);
          search.reset();
        }}
        error={search.error?.message ?? (isUnknown && 'Nothing has this id.')}
        maxLength={128}
        autoComplete="off"
        spellCheck={false}
      />
    </form>
  );
}

/** null: nothing has the id. @throws ApiError when it cannot be found out */
async function pageOf(id: string): Promise<string | null> {
  const pages = RECORDS.map((records) => `/${records}/${segment(id)}`);
  const [requests, ...found] = await Promise.all([
    api.get<Api.RequestPage>('/requests', { requestId: id, limit: 1 }),
    ...pages.map(exists),
  ]);
  const page = pages.find((_, index) => found[index]);
  if (page !== undefined) return page;
  return requests.data.length > 0 ? filteredPath('/requests', { requestId: id }) : null;
}

async function exists(path: string): Promise<boolean> {
  try {
    await api.get(path);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
