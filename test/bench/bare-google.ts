/** The official client with nothing around it, as a process of its own that calls as often as it is told to. */
import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';

export interface BareRun {
  googleUrl: string;
  accessToken: string;
  concurrency: number;
  requests: number;
  call:
    | { method: 'get'; parameters: calendar_v3.Params$Resource$Events$Get }
    | { method: 'list'; parameters: calendar_v3.Params$Resource$Events$List };
}

async function run({ googleUrl, accessToken, concurrency, requests, call }: BareRun): Promise<number> {
  const client = new auth.OAuth2();
  client.setCredentials({ access_token: accessToken, expiry_date: Date.now() + 3_600_000 });
  const { events } = calendar({ version: 'v3', auth: client, rootUrl: `${googleUrl}/` });
  let left = requests;
  const caller = async () => {
    while (left-- > 0) {
      const { data } = await (call.method === 'get' ? events.get(call.parameters) : events.list(call.parameters));
      if (data.etag === undefined) throw new Error('the answer is nothing that was asked for');
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, caller));
  return (performance.now() - startedAt) / 1_000;
}

process.on('message', (asked: BareRun) => {
  void run(asked).then((seconds) => process.send?.({ seconds }));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
