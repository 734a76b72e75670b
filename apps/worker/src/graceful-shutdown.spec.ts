import { GracefulShutdown } from './graceful-shutdown.js';

describe('GracefulShutdown', () => {
  it('stops everything at the same time and waits for all of it', async () => {
    const drain = new GracefulShutdown();
    const both = Promise.withResolvers<void>();
    const stopped: string[] = [];
    const partner = (name: string) => ({
      async stop() {
        stopped.push(name);
        if (stopped.length === 2) both.resolve();
        await both.promise;
      },
    });
    drain.add(partner('one'));
    drain.add(partner('other'));
    await drain.drain(60_000);
    expect(stopped).toEqual(['one', 'other']);
  });

  it('F2 lets go of what does not end in time', async () => {
    const drain = new GracefulShutdown();
    drain.add({ stop: (late) => new Promise((done) => late.addEventListener('abort', () => done())) });
    await drain.drain(1);
  });
});
