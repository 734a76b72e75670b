import {
  CalendarProviders,
  DomainError,
  type CalendarProvider,
  type Clock,
  type PrivatePropertyStore,
  type ProviderBudget,
  type ProviderSlots,
  type ProviderType,
  type SyncSnapshotStore,
} from '#domain';
import type { Egress } from '#egress';
import { createAppleProvider } from '#providers/apple';
import { createCalDavProvider, type UnreadableObjects } from '#providers/caldav';
import { createGoogleProvider, type GoogleSettings } from '#providers/google';
import { createMicrosoftProvider, type MicrosoftSettings } from '#providers/microsoft';

/** What the adapters are made with. */
export interface ProvidersOptions {
  egress: Egress;
  budget: ProviderBudget;
  slots: ProviderSlots;
  privateProperties: PrivatePropertyStore;
  snapshots: SyncSnapshotStore;
  clock: Clock;
  unreadable: UnreadableObjects;
  google: GoogleSettings;
  microsoft: MicrosoftSettings;
  /** Root of the CalDAV service of APPLE accounts. */
  appleCalDavUrl: string;
  /** Requests toward the server of one APPLE or CALDAV account. */
  calDavRequestsPerMinute: number;
}

/** The providers of this installation: a new one is a folder beside this file and a line here. */
export function createProviders(options: ProvidersOptions): CalendarProviders {
  const { appleCalDavUrl, calDavRequestsPerMinute, clock, google, microsoft, ...ports } = options;
  const deps = { ...ports, nowMs: () => clock.nowMs() };
  const calDavDeps = { ...deps, requestsPerMinute: calDavRequestsPerMinute };
  return new Registry([
    createGoogleProvider({ ...deps, ...google }),
    createMicrosoftProvider({ ...deps, ...microsoft }),
    createCalDavProvider(calDavDeps),
    createAppleProvider(appleCalDavUrl, calDavDeps),
  ]);
}

class Registry extends CalendarProviders {
  private readonly byType: ReadonlyMap<ProviderType, CalendarProvider>;

  constructor(providers: CalendarProvider[]) {
    super();
    this.byType = new Map(providers.map((provider) => [provider.type, provider]));
  }

  /** @throws DomainError NotSupportedByProvider */
  override for(type: ProviderType): CalendarProvider {
    const provider = this.byType.get(type);
    if (provider === undefined) {
      throw new DomainError('NotSupportedByProvider', `This installation does not connect ${type} accounts.`);
    }
    return provider;
  }

  override all(): CalendarProvider[] {
    return [...this.byType.values()];
  }
}
