import { ProviderRateLimiter } from '#domain/providers';
import { Admission } from './account-client.js';

/** Requests that may be sent at once. */
const AT_ONCE = 8;

/** Notes what it is asked for. */
class NotedRate extends ProviderRateLimiter {
  readonly noted: string[] = [];

  override async take() {
    this.noted.push('take');
  }

  override async admit(
    _scope: unknown,
    _requestsPerMinute: number,
    { requests, isBackground }: { requests: number; isBackground: boolean },
  ) {
    this.noted.push(`admit ${requests}${isBackground ? ' in the background' : ''}`);
    return Math.min(requests, AT_ONCE);
  }

  override async correct(_scope: unknown, _requestsPerMinute: number, requests: number) {
    this.noted.push(`correct ${requests}`);
  }
}

function admission(more: { perRequest?: true; isBackground?: boolean } = {}) {
  const budget = new NotedRate();
  const { isBackground, ...limits } = more;
  const session = { applicationId: 'app', accountId: 'account', signal: new AbortController().signal };
  return {
    noted: budget.noted,
    admission: new Admission(
      { budget, requestsPerMinute: 240, ...limits },
      { ...session, ...(isBackground !== undefined && { isBackground }) },
    ),
  };
}

describe('Admission', () => {
  it('waits once for all requests of an operation', async () => {
    const { admission: turn, noted } = admission();
    await turn.enter(3);
    for (let requests = 0; requests < 3; requests += 1) await turn.take();
    await turn.leave();
    expect(noted).toEqual(['admit 3']);
    expect(turn.sent).toBe(3);
  });

  it('gives unused requests back, once', async () => {
    const { admission: turn, noted } = admission();
    await turn.enter(5);
    await turn.take(2);
    await turn.leave();
    await turn.leave();
    expect(noted).toEqual(['admit 5', 'correct -3']);
  });

  it('counts thirty further requests without waiting, and queues for later ones', async () => {
    const { admission: turn, noted } = admission();
    await turn.enter(1);
    await turn.take(11);
    await turn.take(20);
    await turn.take(2);
    expect(noted).toEqual(['admit 1', 'correct 10', 'correct 20', 'take', 'take']);
    expect(turn.sent).toBe(33);
  });

  it('counts and gives back no more than was reserved', async () => {
    const { admission: turn, noted } = admission();
    await turn.enter(20);
    await turn.take(10);
    await turn.leave();
    const unused = admission();
    await unused.admission.enter(20);
    await unused.admission.leave();
    expect([noted, unused.noted]).toEqual([
      ['admit 20', 'correct 2'],
      ['admit 20', 'correct -8'],
    ]);
  });

  it('tells background work apart', async () => {
    const { admission: turn, noted } = admission({ isBackground: true });
    await turn.enter(1);
    expect(noted).toEqual(['admit 1 in the background']);
  });

  it('queues each request where most operations send none, and where none was entered', async () => {
    const feed = admission({ perRequest: true });
    await feed.admission.enter(2);
    await feed.admission.take();
    await feed.admission.leave();
    expect(feed.noted).toEqual(['take']);
    const other = admission();
    await other.admission.take(2);
    expect(other.noted).toEqual(['take', 'take']);
  });
});
