import { SandboxClock } from './clock.js';
import { journalControls } from './control/journal-controls.js';
import { ControlRoutes } from './control/routes.js';
import { sandboxControls } from './control/sandbox-controls.js';
import { demoApplication } from './demo-application.js';
import type { ProviderName, SandboxSettings } from './environment.js';
import { sandboxGoogle } from './google/sandbox-google.js';
import { SandboxState } from './sandbox-state.js';
import { whole } from './http/delivery.js';
import { HttpServer, type Handler } from './http/server.js';
import { sandboxMicrosoft } from './microsoft/sandbox-microsoft.js';
import type { SandboxProvider, ProviderContext } from './sandbox-provider.js';
import { Autosave } from './state/autosave.js';
import { StateFile } from './state/state-file.js';

const PROVIDERS: Readonly<Record<ProviderName, (site: ProviderContext) => SandboxProvider>> = {
  google: sandboxGoogle,
  microsoft: sandboxMicrosoft,
};
const NAMES = Object.keys(PROVIDERS) as ProviderName[];

/**
 * Simulated providers: each with sign-in, token endpoint and calendars on one port, their controls on another, and
 * optionally a page in place of the application on a third.
 */
export class Sandbox {
  readonly #servers: HttpServer[] = [];
  readonly #clock = new SandboxClock();
  readonly #providers: Readonly<Record<ProviderName, SandboxProvider>>;
  readonly #state: SandboxState;
  readonly #autosave: Autosave;
  readonly #urls: Record<ProviderName, string>;
  #controlUrl: string;

  private constructor(
    private readonly settings: SandboxSettings,
    private readonly memory: StateFile | null,
  ) {
    const { providers, operatorsClient, controlUrl = '', seed } = settings;
    this.#urls = byProvider((name) => providers[name].url ?? '');
    this.#controlUrl = controlUrl;
    this.#providers = byProvider((name) =>
      PROVIDERS[name]({
        clock: this.#clock,
        redirectUris: providers[name].redirectUris,
        demoClient: providers[name].demoClient,
        operatorsClient,
        url: () => this.#urls[name],
      }),
    );
    this.#state = new SandboxState(this.#clock, this.#providers, seed === 'demo');
    this.#autosave = new Autosave(() => memory?.save(this.#state.snapshot()));
  }

  static async start(settings: SandboxSettings): Promise<Sandbox> {
    const sandbox = new Sandbox(settings, settings.stateFile === undefined ? null : new StateFile(settings.stateFile));
    try {
      await sandbox.#open();
      return sandbox;
    } catch (error) {
      await sandbox.#closeDoors();
      throw error;
    }
  }

  /** Public origins of the providers. */
  get urls(): Readonly<Record<ProviderName, string>> {
    return this.#urls;
  }

  get controlUrl(): string {
    return this.#controlUrl;
  }

  async close(): Promise<void> {
    for (const provider of Object.values(this.#providers)) provider.close();
    await this.#closeDoors();
    this.#autosave.now();
  }

  async #open(): Promise<void> {
    await this.#state.open(this.memory);
    // Saves the skipped numbers now, in case the process ends before its first change.
    this.#autosave.now();
    for (const name of NAMES) {
      const provider = this.#providers[name];
      const { origin } = await this.#listen(
        this.settings.providers[name].port,
        this.#saving((request) => provider.handle(request)),
      );
      this.#urls[name] ||= origin;
    }
    const controls = this.#controls();
    const { origin } = await this.#listen(
      this.settings.controlPort,
      this.#saving(async (request) => whole(await controls.answer(request))),
    );
    this.#controlUrl ||= origin;
    const { application } = this.settings;
    if (application === undefined) return;
    const response = demoApplication(application.serviceUrl);
    await this.#listen(application.port, async (request) => whole(response(request)));
  }

  #controls(): ControlRoutes {
    const providers = Object.values(this.#providers);
    return new ControlRoutes([
      ...sandboxControls({ clock: this.#clock, reset: () => this.#state.reset() }),
      ...journalControls(
        '',
        providers.map(({ journal }) => journal),
      ),
      ...NAMES.flatMap((name) => journalControls(`/${name}`, [this.#providers[name].journal])),
      ...providers.flatMap(({ controls }) => controls),
    ]);
  }

  async #listen(port: number, handle: Handler): Promise<HttpServer> {
    const server = await HttpServer.listen(this.settings.host, port, handle);
    this.#servers.push(server);
    return server;
  }

  #saving(handle: Handler): Handler {
    return (request) => handle(request).finally(() => this.#autosave.soon());
  }

  async #closeDoors(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

function byProvider<T>(make: (name: ProviderName) => T): Record<ProviderName, T> {
  return Object.fromEntries(NAMES.map((name) => [name, make(name)])) as Record<ProviderName, T>;
}
