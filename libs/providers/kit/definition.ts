import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import type { ProviderType } from '#domain/accounts';
import type { ChannelNotification } from '#domain/channels';
import type { PrivatePropertyStore } from '#domain/events';
import type {
  CalendarProvider,
  ProviderRateLimiter,
  ProviderCapabilities,
  ProviderConcurrencyLimiter,
} from '#domain/providers';
import type { SyncSnapshotStore } from '#domain/sync';
import type { Egress } from '#egress';
import type { KeptReads } from './sync/kept-reads.js';
import { text, type Setting, type Settings, type ValuesOf } from '#platform/settings';

export { KeptReads } from './sync/kept-reads.js';

/** Reports unreadable calendar objects to operators. Lists leave these objects out. */
export abstract class UnreadableObjects {
  abstract report(object: { accountId: string; calendarId: string; href: string; reason: string }): void;
}

export interface ProviderDeps {
  egress: Egress;
  budget: ProviderRateLimiter;
  slots: ProviderConcurrencyLimiter;
  privateProperties: PrivatePropertyStore;
  snapshots: SyncSnapshotStore;
  /** Shared by all providers of a process; by default each has its own. */
  reads?: KeptReads;
  unreadable: UnreadableObjects;
  /** For all tries of one call together. */
  timeoutMs: number;
  nowMs(): number;
}

/** Everything that other code knows of a provider. Each `definition.ts` exports one, and `registry.ts` names it. */
export interface ProviderDefinition<S extends Settings = Settings> {
  /** Name in rows, metrics and responses. Must not change once accounts exist. */
  readonly type: ProviderType;
  readonly slug: string;
  readonly label: string;
  /** Path (`d`) of a 24 by 24 SVG icon, filled by the even-odd rule. */
  readonly icon: string;
  readonly authentication: ProviderCapabilities['authentication'];
  readonly settings: S;
  /** URLs whose origins requests may reach by plain http and at private addresses. */
  trustedOrigins(config: ValuesOf<S>): string[];
  /** Only for `oauth`. Then `settings` holds {@link oauthClientSettings}. */
  readonly oauthClient?: OAuthClientDefinition;
  /** Only for `password` and `url`. */
  readonly connect?: ConnectDefinition;
  readonly notifications?: NotificationsDefinition;
  create(deps: ProviderDeps, config: ValuesOf<S>): CalendarProvider;
}

/** Texts for operators who register an OAuth client with the provider. */
export interface OAuthClientDefinition {
  /** Text after "Register a client in the". */
  readonly console: string;
  /** Name of the console's list of callback URLs. */
  readonly redirectName: string;
  readonly tenant?: string;
  readonly defaultScopes: readonly string[];
}

export interface ConnectDefinition {
  /** Request body. Its class name is the schema's name and, in lower camel case, the operation id. */
  readonly body: new () => ConnectBody;
  /** Summary of the operation. Sentences after the first one form its description. */
  readonly summary: string;
  /** Whether the body names a server, which the egress rules may block. */
  readonly namesServer: boolean;
  /** Form of the page where users connect accounts themselves. */
  readonly form: ConnectForm;
}

/** Languages of that page. The first one is the default. */
export const PAGE_LANGUAGES = ['en', 'de'] as const;

export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

export type ConnectField = 'serverUrl' | 'email' | 'password' | 'url' | 'name';

export interface ConnectForm {
  /** Where users make an app-specific password. */
  readonly helpUrl?: string;
  readonly texts: Readonly<Record<PageLanguage, ConnectFormTexts>>;
}

export interface ConnectFormTexts {
  /** Label of each field, in order. */
  readonly labels: Readonly<Partial<Record<ConnectField, string>>>;
  /** What to do before, sentence by sentence. */
  readonly steps: readonly string[];
}

export interface NotificationRequest {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON of any type; undefined unless {@link NotificationsDefinition.readsBody}. */
  body: unknown;
}

export interface NotificationsDefinition {
  /** Whether the provider reports on the channels themselves at `…/lifecycle`. */
  readonly hasLifecycle: boolean;
  /** Whether notifications are JSON bodies. Otherwise the body is not read. */
  readonly readsBody: boolean;
  readonly acceptedStatus: number;
  /** Whether a forged notification gets a 404. False where one request may hold genuine ones, too. */
  readonly rejectsForged: boolean;
  /** Returns the text to echo as consent; null for other requests. @throws DomainError ValidationFailed */
  consentText?(query: NotificationRequest['query']): string | null;
  /** Returns the notifications that a channel of ours can have sent. */
  read(request: NotificationRequest): ChannelNotification[];
}

export function defineProvider<const S extends Settings>(definition: ProviderDefinition<S>): ProviderDefinition<S> {
  return definition;
}

/** Settings of the shared OAuth client, without a tenant. `scopes` says what no scopes mean. */
export function oauthClientSettings(type: ProviderType, { scopes }: { scopes: string }) {
  const optional = (name: string, description: string): Setting<string | undefined> =>
    text(`${type}_${name}`, { description });
  return {
    clientId: optional('CLIENT_ID', `OAuth client for ${type} accounts of applications that have none of their own.`),
    clientSecret: optional('CLIENT_SECRET', 'Its secret.'),
    expiresAt: optional(
      'CLIENT_SECRET_EXPIRES_AT',
      'When the provider stops accepting the secret (ISO 8601 date or instant). Alerts warn 30, 14 and 3 days before.',
    ),
    scopes: optional('SCOPES', `What it asks users for, separated by spaces. Empty: ${scopes}.`),
  };
}

interface FieldDocumentation {
  description: string;
  example: string;
}

/** An email address or a user name. */
export const LoginField = (documentation: FieldDocumentation) => requiredText(320, documentation);
export const SecretField = (documentation: FieldDocumentation) => requiredText(4_096, documentation);
export const AddressField = (documentation: FieldDocumentation) => requiredText(2_048, documentation);

// applyDecorators applies decorators in order. Stacked decorators would apply from the last to the first.
function requiredText(maxLength: number, documentation: FieldDocumentation): PropertyDecorator {
  return applyDecorators(
    MaxLength(maxLength),
    Matches(/\S/, { message: '$property must not be empty' }),
    IsString(),
    ApiProperty({ type: String, ...documentation, maxLength }),
  );
}

export function OptionalTextField(maxLength: number, documentation: FieldDocumentation): PropertyDecorator {
  const { description, example } = documentation;
  return applyDecorators(
    MaxLength(maxLength),
    IsString(),
    ValidateIf((_, value) => value !== undefined && value !== null),
    ApiPropertyOptional({ type: String, nullable: true, description, maxLength, example }),
  );
}

/** Body of a request to connect an account. A subclass declares the fields that it takes. */
export class ConnectBody {
  @OptionalTextField(255, {
    description: "Id of the user in the application's own system. Sets or replaces it; null removes it.",
    example: 'user-42',
  })
  externalId?: string | null;

  declare email?: string;
  declare password?: string;
  declare serverUrl?: string;
  /** Address of the calendar itself, which is a secret. */
  declare url?: string;
  /** Name of the account when the provider knows none. */
  declare name?: string | null;
}
