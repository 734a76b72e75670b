import { GuardedEgress } from '#egress';
import { SandboxClock } from './clock.js';
import { demoApplication } from './demo-application/demo-application.js';
import { googleControls } from './control/google-controls.js';
import { journalControls } from './control/journal-controls.js';
import { ControlRoutes } from './control/routes.js';
import { sandboxControls } from './control/sandbox-controls.js';
import type { SandboxSettings } from './environment.js';
import type { CalendarApi, CalendarApiHost } from './google/contract.js';
import { followRedirectUris, seedDemo } from './google/demo-seed.js';
import { GoogleEndpoints } from './google/google-endpoints.js';
import { GoogleSandbox, type GoogleSnapshot } from './google/google-sandbox.js';
import { whole } from './http/delivery.js';
import { HttpServer, type Handler } from './http/server.js';
import { Journal } from './journal.js';
import { Autosave } from './state/autosave.js';
import { StateFile } from './state/state-file.js';

/** Channel messages go to receivers on this machine, plain http included. */
const RECEIVERS = '127.0.0.0/8,::1';

interface Snapshot {
  clock: number;
  google: GoogleSnapshot;
}

/**
 * Google without Google: its sign-in, its token endpoints and its Calendar API on one port, the controls on another, and
 * on a third, if wanted, a page in place of the application that uses the service.
 */
export class Sandbox {
  private constructor(
    readonly googleUrl: string,
    readonly controlUrl: string,
    private readonly stop: () => Promise<void>,
  ) {}

  static async start(
    settings: SandboxSettings,
    createCalendarApi: (host: CalendarApiHost) => CalendarApi,
  ): Promise<Sandbox> {
    const clock = new SandboxClock();
    const journal = new Journal(clock);
    const egress = new GuardedEgress({ allow: RECEIVERS });
    const google = new GoogleSandbox({ clock, journal, egress, createCalendarApi });
    const beginAnew = (): void => {
      clock.reset();
      google.reset();
      if (settings.seed === 'demo') seedDemo(google, clock, settings.redirectUris);
    };
    const memory = settings.stateFile === undefined ? null : new StateFile(settings.stateFile);
    const isRestored = memory?.load((state) => {
      const snapshot = state as Snapshot;
      clock.restore(snapshot.clock);
      google.restore(snapshot.google);
    });
    if (isRestored !== true) beginAnew();
    else if (settings.seed === 'demo') followRedirectUris(google, settings.redirectUris);
    void google.signingKey.prepare();
    const autosave = new Autosave(() =>
      memory?.save({ clock: clock.snapshot(), google: google.snapshot() } satisfies Snapshot),
    );
    // What was skipped stays skipped, even if this life ends before its first change.
    autosave.now();
    const saving =
      (handle: Handler): Handler =>
      (request) =>
        handle(request).finally(() => autosave.soon());

    const endpoints: GoogleEndpoints = new GoogleEndpoints(google, journal, clock, () => googleUrl);
    const googleServer = await HttpServer.listen(
      settings.host,
      settings.googlePort,
      saving((request) => endpoints.handle(request)),
    );
    const googleUrl = settings.googleUrl ?? googleServer.origin;

    const reset = (): void => {
      endpoints.reset();
      journal.clearViolations();
      journal.clearRequests();
      beginAnew();
    };
    const controls = new ControlRoutes([
      ...sandboxControls({ clock, reset }),
      ...journalControls('', [journal]),
      ...googleControls(google),
    ]);
    const controlServer = await HttpServer.listen(
      settings.host,
      settings.controlPort,
      saving(async (request) => whole(await controls.answer(request))),
    ).catch(async (error: unknown) => {
      await googleServer.close();
      throw error;
    });

    const servers = [googleServer, controlServer];
    if (settings.application !== undefined) {
      const application = demoApplication(settings.application.serviceUrl);
      const listen = HttpServer.listen(settings.host, settings.application.port, async (request) =>
        whole(application(request)),
      );
      servers.push(
        await listen.catch(async (error: unknown) => {
          await Promise.all(servers.map((server) => server.close()));
          throw error;
        }),
      );
    }
    return new Sandbox(googleUrl, settings.controlUrl ?? controlServer.origin, async () => {
      google.messages.close();
      await Promise.all([...servers.map((server) => server.close()), egress.close()]);
      autosave.now();
    });
  }

  async close(): Promise<void> {
    await this.stop();
  }
}
