import { Button } from '@mantine/core';
import { api, queryClient, segment, useChange, type Api } from '../../api/index.js';
import { ErrorNote, notify } from '../../ui/index.js';

/** Asks the provider, which shows whether it still accepts the credentials. An account that it refuses becomes EXPIRED. */
export function CheckNow({ accountId }: { accountId: string }) {
  const check = useChange(
    async () => {
      try {
        return await api.get<Api.AccountCalendars>(`/accounts/${segment(accountId)}/calendars`);
      } finally {
        // A refusal changes the account, too. Its calendars have just been asked for: the provider is asked once.
        await queryClient.invalidateQueries({
          predicate: ({ queryKey: [path] }) => /^\/accounts(?!.*\/calendars$)/.test(String(path)),
        });
      }
    },
    { onDone: () => notify('The provider accepts the credentials') },
  );
  return (
    <div>
      {check.error && <ErrorNote error={check.error} title="The check failed" />}
      <Button variant="default" loading={check.isPending} onClick={() => check.mutate()}>
        Check now
      </Button>
    </div>
  );
}
