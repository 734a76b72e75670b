import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { ApplicationRepository, type ApplicationRef } from '#domain/applications';
import { OAuthClientRepository, type OAuthClient } from '#domain/oauth';
import { AuditLog } from '#domain/operator';
import { DomainError, invalid } from '#domain/system';
import { parseIsoInstant } from '../events/iso-time.js';
import { recordAction } from '../system/actor.js';
import { MassExpiryBreaker } from '../accounts/mass-expiry-breaker.js';
import { OAuthClients } from '../accounts/token-refresh.js';

/** Without the secret, which is never returned. */
export interface OAuthClientView {
  applicationId: string;
  providerType: ProviderType;
  clientId: string;
  /** null for the provider's default scopes. */
  scopes: string[] | null;
  tenant: string | null;
  /** When the secret ends. null when nobody has said. */
  expiresAt: string | null;
}

export interface SetOAuthClient {
  applicationId: string;
  providerType: ProviderType;
  clientId: string;
  /** Default: the stored one of the same client id. */
  clientSecret?: string;
  /** Default null: the provider's default scopes. */
  scopes?: string[] | null;
  /** Id or domain of a directory. Default null: any. */
  tenant?: string | null;
  /** When the secret ends: an ISO 8601 date or instant. Default: the stored one while the secret stays, else null. */
  expiresAt?: string | null;
}

/** Visible ASCII (RFC 6749 appendix A.1 and A.2) without spaces, which only come from copying. */
const IDENTIFIER = /^[\x21-\x7e]{1,500}$/;
/** scope-token, RFC 6749 §3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,500}$/;
const MAX_SCOPES = 50;
const TENANT = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

@Injectable()
export class OAuthClientsService {
  constructor(
    private readonly stored: OAuthClientRepository,
    private readonly clients: OAuthClients,
    private readonly breaker: MassExpiryBreaker,
    private readonly applications: ApplicationRepository,
    private readonly audit: AuditLog,
  ) {}

  /** Accounts of another client need a reconnect. @throws DomainError NotFound (application), ValidationFailed */
  async set({ applicationId, providerType, ...given }: SetOAuthClient): Promise<OAuthClientView> {
    await this.applications.get(applicationId);
    const application = { applicationId };
    const kept =
      given.clientSecret === undefined ? await this.keptClient(application, providerType, given.clientId) : null;
    const client = {
      ...parseClient({ ...given, clientSecret: given.clientSecret ?? kept?.clientSecret ?? '' }),
      expiresAt: given.expiresAt === undefined ? (kept?.expiresAt ?? null) : parseExpiry(given.expiresAt),
    };
    await this.stored.put(application, providerType, client);
    await recordAction(this.audit, 'oauth-client.set', `oauth-client:${providerType}`, applicationId);
    return toView(applicationId, providerType, client);
  }

  /** @throws DomainError NotFound (application) */
  async list(applicationId: string): Promise<OAuthClientView[]> {
    await this.applications.get(applicationId);
    const clients = await this.stored.list({ applicationId });
    return clients.map((client) => toView(applicationId, client.providerType, client));
  }

  /** @throws DomainError NotFound */
  async remove(applicationId: string, providerType: ProviderType): Promise<void> {
    await this.applications.get(applicationId);
    if (!(await this.stored.remove({ applicationId }, providerType))) {
      throw new DomainError('NotFound', `The application has no OAuth client of its own for ${providerType}.`);
    }
    await recordAction(this.audit, 'oauth-client.removed', `oauth-client:${providerType}`, applicationId);
  }

  /** `released` is false when the mass-expiry breaker was not tripped. @throws DomainError NotFound */
  async release(
    applicationId: string,
    providerType: ProviderType,
  ): Promise<{ applicationId: string; providerType: ProviderType; clientId: string; released: boolean }> {
    await this.applications.get(applicationId);
    const client = await this.clients.of({ applicationId }, providerType);
    if (client === null) {
      throw new DomainError(
        'NotFound',
        `There is no OAuth client for ${providerType}, neither its own nor a shared one.`,
      );
    }
    const { clientId } = client;
    const released = await this.breaker.release({ providerType, clientId });
    if (released) {
      await recordAction(this.audit, 'oauth-client.released', `oauth-client:${providerType}`, applicationId);
    }
    return { applicationId, providerType, clientId, released };
  }

  private async keptClient(
    application: ApplicationRef,
    providerType: ProviderType,
    clientId: string,
  ): Promise<OAuthClient> {
    const client = await this.stored.find(application, providerType);
    if (client?.clientId === clientId) return client;
    throw invalid('clientSecret', 'must be given with a new clientId');
  }
}

function toView(
  applicationId: string,
  providerType: ProviderType,
  { clientId, scopes, tenant, expiresAt }: Omit<OAuthClient, 'clientSecret'>,
): OAuthClientView {
  return { applicationId, providerType, clientId, scopes, tenant, expiresAt: expiresAt?.toISOString() ?? null };
}

/** The past is allowed: it is what an operator has to see. */
function parseExpiry(text: string | null): Date | null {
  const date = text === null ? null : parseIsoInstant(text);
  if (date === null && text !== null) throw invalid('expiresAt', 'must be an ISO 8601 date or instant, or null');
  return date;
}

function parseClient({
  clientId,
  clientSecret,
  scopes = null,
  tenant = null,
}: Omit<SetOAuthClient, 'applicationId' | 'providerType' | 'expiresAt'> & { clientSecret: string }): OAuthClient {
  if (!IDENTIFIER.test(clientId)) throw invalid('clientId', 'must have 1 to 500 visible ASCII characters, no spaces');
  if (!IDENTIFIER.test(clientSecret)) {
    throw invalid('clientSecret', 'must have 1 to 500 visible ASCII characters, no spaces');
  }
  if (tenant !== null && !TENANT.test(tenant)) throw invalid('tenant', "must be a directory's id or domain");
  return {
    clientId,
    clientSecret,
    scopes: scopes === null ? null : parseScopes(scopes),
    tenant,
  };
}

function parseScopes(scopes: string[]): string[] {
  const distinct = [...new Set(scopes)];
  if (distinct.length === 0 || distinct.length > MAX_SCOPES) {
    throw invalid('scopes', `must be 1 to ${MAX_SCOPES} scopes`);
  }
  if (!distinct.every((scope) => SCOPE.test(scope))) {
    throw invalid('scopes', 'must be scope tokens of RFC 6749, separated by single spaces');
  }
  return distinct;
}
