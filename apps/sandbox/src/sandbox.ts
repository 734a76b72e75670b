import { GuardedEgress } from '#egress';
import { SandboxClock } from './clock.js';
import { demoApplication } from './demo-application/demo-application.js';
import { googleControls } from './control/google-controls.js';
import { journalControls } from './control/journal-controls.js';
import { microsoftControls } from './control/microsoft-controls.js';
import { ControlRoutes } from './control/routes.js';
import { sandboxControls } from './control/sandbox-controls.js';
import type { SandboxSettings } from './environment.js';
import type { CalendarApi, CalendarApiHost } from './google/contract.js';
import * as googleDemo from './google/demo-seed.js';
import { GoogleEndpoints } from './google/google-endpoints.js';
import { GoogleSandbox, type GoogleSnapshot } from './google/google-sandbox.js';
import { whole } from './http/delivery.js';
import { HttpServer, type Handler } from './http/server.js';
import { Journal } from './journal.js';
import type { GraphApi, GraphHost } from './microsoft/contract.js';
import * as microsoftDemo from './microsoft/demo-seed.js';
import { MicrosoftEndpoints } from './microsoft/microsoft-endpoints.js';
import { MicrosoftSandbox, type MicrosoftSnapshot } from './microsoft/microsoft-sandbox.js';
import { Autosave } from './state/autosave.js';
import { StateFile } from './state/state-file.js';

/** Notifications go to receivers on this machine, plain http included. */
const RECEIVERS = '127.0.0.0/8,::1';

interface Snapshot {
  clock: number;
  google: GoogleSnapshot;
  /** Absent from what was written before there was a Microsoft. */
  microsoft?: MicrosoftSnapshot;
}

/** Makes the calendars of each provider. */
export interface CalendarFactories {
  createCalendarApi: (host: CalendarApiHost) => CalendarApi;
  createGraphApi: (host: GraphHost) => GraphApi;
}

/**
 * Providers without the providers: each with its sign-in, its token endpoint and its calendars on one port, the controls
 * of all on another, and on one more, if wanted, a page in place of the application that uses the service.
 */
export class Sandbox {
  private constructor(
    readonly googleUrl: string,
    readonly microsoftUrl: string,
    readonly controlUrl: string,
    private readonly stop: () => Promise<void>,
  ) {}

  static async start(
    settings: SandboxSettings,
    { createCalendarApi, createGraphApi }: CalendarFactories,
  ): Promise<Sandbox> {
    const clock = new SandboxClock();
    // Known once it listens; nobody reads a link that was made before.
    let microsoftUrl = settings.microsoftUrl ?? '';
    const journals = { google: new Journal(clock), microsoft: new Journal(clock) };
    const egress = new GuardedEgress({ allow: RECEIVERS });
    const google = new GoogleSandbox({ clock, journal: journals.google, egress, createCalendarApi });
    const microsoft = new MicrosoftSandbox({ clock, egress, createGraphApi, url: () => microsoftUrl });
    const redirectUris = {
      google: settings.redirectUris.filter((uri) => !uri.endsWith('/microsoft')),
      microsoft: settings.redirectUris.filter((uri) => uri.endsWith('/microsoft')),
    };
    const seed = {
      google: (): void => {
        if (settings.seed === 'demo') googleDemo.seedDemo(google, clock, redirectUris.google);
      },
      microsoft: async (): Promise<void> => {
        if (settings.seed === 'demo') await microsoftDemo.seedDemo(microsoft, clock, redirectUris.microsoft);
      },
    };
    const beginAnew = async (): Promise<void> => {
      clock.reset();
      google.reset();
      microsoft.reset();
      seed.google();
      await seed.microsoft();
    };

    const memory = settings.stateFile === undefined ? null : new StateFile(settings.stateFile);
    const autosave = new Autosave(() =>
      memory?.save({
        clock: clock.snapshot(),
        google: google.snapshot(),
        microsoft: microsoft.snapshot(),
      } satisfies Snapshot),
    );
    let isMicrosoftRestored = false;
    const isRestored = memory?.load((state) => {
      const snapshot = state as Snapshot;
      clock.restore(snapshot.clock);
      google.restore(snapshot.google);
      if (snapshot.microsoft === undefined) return;
      microsoft.restore(snapshot.microsoft);
      isMicrosoftRestored = true;
    });
    if (isRestored !== true) await beginAnew();
    else if (!isMicrosoftRestored) await seed.microsoft();
    if (settings.seed === 'demo') {
      googleDemo.followRedirectUris(google, redirectUris.google);
      microsoftDemo.followRedirectUris(microsoft, redirectUris.microsoft);
    }
    void google.signingKey.prepare();
    void microsoft.signingKey.prepare();
    // What was skipped stays skipped, even if this life ends before its first change.
    autosave.now();

    const servers: HttpServer[] = [];
    const closeServers = async (): Promise<void> => {
      await Promise.all(servers.map((server) => server.close()));
    };
    const listen = async (port: number, handle: Handler): Promise<HttpServer> => {
      const server = await HttpServer.listen(settings.host, port, handle).catch(async (error: unknown) => {
        await Promise.all([closeServers(), egress.close()]);
        throw error;
      });
      servers.push(server);
      return server;
    };
    const saving =
      (handle: Handler): Handler =>
      (request) =>
        handle(request).finally(() => autosave.soon());

    const googleEndpoints: GoogleEndpoints = new GoogleEndpoints(google, journals.google, clock, () => googleUrl);
    const microsoftEndpoints: MicrosoftEndpoints = new MicrosoftEndpoints(
      ...([microsoft, journals.microsoft, clock] as const),
      () => microsoftUrl,
    );
    const googleServer = await listen(
      settings.googlePort,
      saving((request) => googleEndpoints.handle(request)),
    );
    const googleUrl = settings.googleUrl ?? googleServer.origin;
    const microsoftServer = await listen(
      settings.microsoftPort,
      saving((request) => microsoftEndpoints.handle(request)),
    );
    microsoftUrl ||= microsoftServer.origin;

    const reset = async (): Promise<void> => {
      googleEndpoints.reset();
      microsoftEndpoints.reset();
      for (const journal of Object.values(journals)) {
        journal.clearViolations();
        journal.clearRequests();
      }
      await beginAnew();
    };
    const controls = new ControlRoutes([
      ...sandboxControls({ clock, reset }),
      ...journalControls('', Object.values(journals)),
      ...journalControls('/google', [journals.google]),
      ...journalControls('/microsoft', [journals.microsoft]),
      ...googleControls(google),
      ...microsoftControls(microsoft, clock),
    ]);
    const controlServer = await listen(
      settings.controlPort,
      saving(async (request) => whole(await controls.answer(request))),
    );
    if (settings.application !== undefined) {
      const application = demoApplication(settings.application.serviceUrl);
      await listen(settings.application.port, async (request) => whole(application(request)));
    }
    return new Sandbox(googleUrl, microsoftUrl, settings.controlUrl ?? controlServer.origin, async () => {
      google.messages.close();
      microsoft.messages.close();
      await Promise.all([closeServers(), egress.close()]);
      autosave.now();
    });
  }

  async close(): Promise<void> {
    await this.stop();
  }
}
