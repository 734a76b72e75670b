import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useApi, type Api } from '../../api/index.js';
import { useProviders } from '../../providers/index.js';
import { ErrorNote } from '../../ui/index.js';
import { ApplicationFrame } from './application-frame.js';
import { OAuthClientCard } from './oauth-client-card.js';
import { SignInTestResult } from './sign-in-test-result.js';
import { useSignInTest } from './use-sign-in-test.js';

export default function SignInPage() {
  return (
    <ApplicationFrame>
      {(application) => <SignInProviders key={application.id} {...{ application }} />}
    </ApplicationFrame>
  );
}

function SignInProviders({ application }: { application: Api.Application }) {
  const { data, error, refetch } = useApi<Api.OAuthClientList>(`/applications/${application.id}/oauthClients`);
  const test = useSignInTest(application.id);
  const { isPending } = useProviders();
  return (
    <Stack>
      <Text size="sm" c="dimmed" maw="75ch">
        Users connect accounts of these providers by signing in there, to an OAuth client that you register. Accounts of
        the others need none.
      </Text>
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {test.id !== null && data && !isPending && (
        <SignInTestResult
          applicationId={application.id}
          testId={test.id}
          clients={data.data}
          onRepeat={test.start}
          onClose={test.clear}
        />
      )}
      {test.error && <ErrorNote error={test.error} title="The test could not be started" />}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {(isPending ? undefined : data)?.data.map((client) => (
          <OAuthClientCard
            key={client.provider}
            applicationId={application.id}
            client={client}
            onTest={() => test.start(client.provider)}
            isTestStarting={test.isStarting}
          />
        )) ??
          (!error && [0, 1].map((at) => <Skeleton key={at} height={380} />))}
      </SimpleGrid>
    </Stack>
  );
}
