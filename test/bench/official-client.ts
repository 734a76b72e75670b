/** What the programs with the official clients have in common: each calls as often as it is told to. */

/** A mailbox with what is read of it. */
export interface ReadMailbox {
  accessToken: string;
  calendarId: string;
  eventId: string;
}

/** Every caller reads one mailbox, again and again. */
export interface ClientRun {
  /** Origin of the provider's API. */
  url: string;
  callers: ReadMailbox[];
  requests: number;
  /** null: one event; else a list of so many. */
  pageSize: number | null;
}

/** One mailbox by the official client. @returns whether the answer is what was asked for */
export interface OfficialClient {
  get(): Promise<boolean>;
  list(pageSize: number): Promise<boolean>;
}

export type MakeClient = (url: string, mailbox: ReadMailbox) => OfficialClient;

/** Carries out every run that the parent process sends, and answers with the seconds that it took. */
export function serveRuns(make: MakeClient): void {
  process.on('message', (asked: ClientRun) => {
    void run(make, asked).then((seconds) => process.send?.({ seconds }));
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}

async function run(make: MakeClient, { url, callers, requests, pageSize }: ClientRun): Promise<number> {
  let left = requests;
  const call = async (client: OfficialClient) => {
    while (left-- > 0) {
      const isRight = await (pageSize === null ? client.get() : client.list(pageSize));
      if (!isRight) throw new Error('the answer is nothing that was asked for');
    }
  };
  const startedAt = performance.now();
  await Promise.all(callers.map((mailbox) => call(make(url, mailbox))));
  return (performance.now() - startedAt) / 1_000;
}
