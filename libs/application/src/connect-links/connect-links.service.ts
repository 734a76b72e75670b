import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { ApplicationRepository, type Application, type ApplicationRef } from '#domain/applications';
import { ConnectLinkGone, ConnectLinkRepository, type ConnectLink } from '#domain/connect-links';
import { CalendarProviders } from '#domain/providers';
import { Clock, ExternalIdMismatch, invalid } from '#domain/system';
import { AccountConnector, type UpsertAccount } from '../accounts/account-connector.js';
import { OAuthClients } from '../accounts/token-refresh.js';
import { isSecret, newSecret } from '../oauth/authorization-requests.js';
import { CallbackUrls } from '../oauth/callback-urls.js';
import { returnConnected, returnRejected } from '../oauth/sign-in-response.js';
import { SignInService, type AuthorizationUrlView } from '../oauth/sign-in.service.js';

/** Time to connect an account, milliseconds: enough to make an app-specific password. */
const CONNECT_LINK_LIFETIME_MS = 30 * 60_000;

export interface ConnectLinkRequest {
  /** Default: the user chooses. */
  providerType?: ProviderType;
  /** One of the application's redirect URLs. Default: the first one. */
  redirectUrl?: string;
  /** Returned unchanged. */
  state?: string;
  /** undefined keeps the stored value. */
  externalId?: string;
}

export interface OpenedConnectLink {
  link: ConnectLink;
  application: Pick<Application, 'name' | 'accentColor'>;
  /** Providers that the user can choose from. One when the application has fixed it. */
  providerTypes: ProviderType[];
  /** Where a user who gives up is sent: the redirect URL with `error=access_denied`. */
  cancelUrl: string;
}

export type ConnectFields = Omit<UpsertAccount, 'providerType' | 'externalId' | 'connectLinkId'>;

@Injectable()
export class ConnectLinksService {
  constructor(
    private readonly providers: CalendarProviders,
    private readonly applications: ApplicationRepository,
    private readonly clients: OAuthClients,
    private readonly links: ConnectLinkRepository,
    private readonly signIns: SignInService,
    private readonly connections: AccountConnector,
    private readonly callbacks: CallbackUrls,
    private readonly clock: Clock,
  ) {}

  /** A link connects one account, within thirty minutes. @throws DomainError ValidationFailed, NotSupportedByProvider */
  async create(
    application: ApplicationRef,
    { providerType, redirectUrl, state, externalId }: ConnectLinkRequest,
  ): Promise<AuthorizationUrlView> {
    const { applicationId } = application;
    if (providerType !== undefined && this.providers.for(providerType).authorization !== null) {
      await this.signIns.clientOf(application, providerType);
    }
    const allowed = await this.signIns.redirectUrlOf(application, redirectUrl);
    const secret = newSecret();
    const expiresAt = new Date(this.clock.nowMs() + CONNECT_LINK_LIFETIME_MS);
    await this.links.create({
      applicationId,
      providerType: providerType ?? null,
      secretHash: hashOf(secret),
      redirectUrl: allowed,
      callerState: state ?? null,
      externalId: externalId ?? null,
      expiresAt,
    });
    return { url: this.callbacks.ofConnectLink(secret), expiresAt: expiresAt.toISOString() };
  }

  /** @throws ConnectLinkGone; DomainError NotFound without the application, ValidationFailed without the redirect URL */
  async open(secret: string): Promise<OpenedConnectLink> {
    const link = isSecret(secret) ? await this.links.find(hashOf(secret)) : null;
    if (link === null) throw new ConnectLinkGone();
    const { name, accentColor } = await this.applications.get(link.applicationId);
    await this.signIns.redirectUrlOf(link, link.redirectUrl);
    const providerTypes = link.providerType === null ? await this.choicesOf(link) : [link.providerType];
    return {
      link,
      application: { name, accentColor },
      providerTypes,
      cancelUrl: returnRejected(link, 'access_denied'),
    };
  }

  /** Returns the provider's sign-in page. @throws DomainError NotSupportedByProvider */
  beginSignIn({ link }: OpenedConnectLink, providerType: ProviderType, browser: string): Promise<string> {
    return this.signIns.beginFromLink(link, chosen(link, providerType), browser);
  }

  /**
   * Connects an account with what the user entered and uses the link. Returns where to redirect.
   * @throws ConnectLinkGone; DomainError as {@link AccountConnector.connect}
   */
  async connect(
    { link }: OpenedConnectLink,
    providerType: ProviderType,
    fields: ConnectFields,
    signal: AbortSignal,
  ): Promise<string> {
    const request = {
      ...fields,
      providerType: chosen(link, providerType),
      externalId: link.externalId ?? undefined,
      connectLinkId: link.id,
    };
    try {
      const account = await this.connections.connect(link, request, signal, `connect link ${link.id}`);
      return returnConnected(link, account.id);
    } catch (error) {
      if (!(error instanceof ExternalIdMismatch)) throw error;
      return returnRejected({ ...link, providerType }, 'external_id_mismatch');
    }
  }

  private async choicesOf(application: ApplicationRef): Promise<ProviderType[]> {
    const choices = this.providers.all().map(async ({ type, authorization }) => {
      return authorization === null || (await this.clients.of(application, type)) !== null ? [type] : [];
    });
    return (await Promise.all(choices)).flat();
  }
}

/** @throws DomainError ValidationFailed */
function chosen(link: ConnectLink, providerType: ProviderType): ProviderType {
  if (link.providerType === null || link.providerType === providerType) return providerType;
  throw invalid('provider', 'is not the one of this link');
}

/** The dot makes it different from the hash of every other secret. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(`connect-link.${secret}`).digest();
}
