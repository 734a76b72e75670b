import { GuardedEgress } from '#egress';
import { SandboxClock } from './clock.js';
import { demoApplication } from './demo-application/demo-application.js';
import { googleControls } from './control/google-controls.js';
import { ControlRoutes } from './control/routes.js';
import { sandboxControls } from './control/sandbox-controls.js';
import type { SandboxSettings } from './environment.js';
import type { CalendarApi, CalendarApiHost } from './google/contract.js';
import { seedDemo } from './google/demo-seed.js';
import { GoogleEndpoints } from './google/google-endpoints.js';
import { GoogleSandbox } from './google/google-sandbox.js';
import { whole } from './http/delivery.js';
import { HttpServer } from './http/server.js';
import { Journal } from './journal.js';

/** Channel messages go to receivers on this machine, plain http included. */
const RECEIVERS = '127.0.0.0/8,::1';

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
    const seed = (): void => {
      if (settings.seed === 'demo') seedDemo(google, clock, settings.redirectUris);
    };
    seed();

    const endpoints: GoogleEndpoints = new GoogleEndpoints(google, journal, clock, () => googleUrl);
    const googleServer = await HttpServer.listen(settings.host, settings.googlePort, (request) =>
      endpoints.handle(request),
    );
    const googleUrl = settings.googleUrl ?? googleServer.origin;

    const reset = (): void => {
      clock.reset();
      google.reset();
      endpoints.reset();
      journal.clearViolations();
      journal.clearRequests();
      seed();
    };
    const controls = new ControlRoutes([...sandboxControls({ clock, journal, reset }), ...googleControls(google)]);
    const controlServer = await HttpServer.listen(settings.host, settings.controlPort, async (request) =>
      whole(await controls.answer(request)),
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
    });
  }

  async close(): Promise<void> {
    await this.stop();
  }
}
