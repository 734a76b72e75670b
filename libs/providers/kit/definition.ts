import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { IsString, Matches, MaxLength, ValidateIf } from 'class-validator';
import type {
  CalendarProvider,
  ChannelNotification,
  PrivatePropertyStore,
  ProviderBudget,
  ProviderCapabilities,
  ProviderSlots,
  ProviderType,
  SyncSnapshotStore,
} from '#domain';
import type { Egress } from '#egress';
import { text, type Setting, type Settings, type ValuesOf } from '#platform/settings';

/** Reports a calendar object that cannot be read to operators. Lists leave it out. */
export abstract class UnreadableObjects {
  abstract report(object: { accountId: string; calendarId: string; href: string; reason: string }): void;
}

/** What the adapters of an installation are made with. */
export interface ProviderDeps {
  egress: Egress;
  budget: ProviderBudget;
  slots: ProviderSlots;
  privateProperties: PrivatePropertyStore;
  snapshots: SyncSnapshotStore;
  unreadable: UnreadableObjects;
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
  nowMs(): number;
}

/**
 * Everything that the rest of the product knows of a provider: `definition.ts` of its folder exports one, and
 * `registry.ts` names it. Outside of that folder no code asks which provider it is.
 */
export interface ProviderDefinition<S extends Settings = Settings> {
  /** In rows, metrics and responses. It never changes once there are accounts. */
  readonly type: ProviderType;
  /** The type in lower case, as paths and commands spell it. */
  readonly slug: string;
  /** What people call it. */
  readonly label: string;
  /** The path (`d`) of an SVG icon of 24 by 24, filled by the even-odd rule. */
  readonly icon: string;
  readonly authentication: ProviderCapabilities['authentication'];
  readonly settings: S;
  /** URLs whose origins requests may reach as they are configured, plain http and private addresses included. */
  trustedOrigins(config: ValuesOf<S>): string[];
  /** Defined exactly for `oauth`; its {@link oauthClientSettings} are among the settings. */
  readonly oauthClient?: OAuthClientDefinition;
  /** How an account connects without a redirect. Defined exactly for `password` and `url`. */
  readonly connect?: ConnectDefinition;
  /** How its notifications are read. Without them changes are found by polling. */
  readonly notifications?: NotificationsDefinition;
  create(deps: ProviderDeps, config: ValuesOf<S>): CalendarProvider;
}

/** What operators read when they register an OAuth client with the provider. */
export interface OAuthClientDefinition {
  /** Where a client is registered, and as what. It follows "Register a client in the". */
  readonly console: string;
  /** What the console calls the list that the callback URL goes into. */
  readonly redirectName: string;
  /** What a client is restricted to; undefined when clients have no tenant. */
  readonly tenant?: string;
  /** What users are asked for unless the client says otherwise. */
  readonly defaultScopes: readonly string[];
}

export interface ConnectDefinition {
  /** The request body. Its name is that of the schema and, in lower camel case, the operation id. */
  readonly body: new () => ConnectBody;
  /** The summary of the operation; sentences after the first one describe it. */
  readonly summary: string;
  /** Whether the body names a server, which the rules of outbound requests may refuse. */
  readonly namesServer: boolean;
}

/** A request as far as a notification is read from it. */
export interface NotificationRequest {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  query: Readonly<Record<string, unknown>>;
  /** Parsed JSON, whatever it is; undefined unless {@link NotificationsDefinition.readsBody}. */
  body: unknown;
}

export interface NotificationsDefinition {
  /** Whether the provider reports on the channels themselves at an address of their own (`…/lifecycle`). */
  readonly hasLifecycle: boolean;
  /** Whether notifications are in the body, as JSON; else a body is left unread. */
  readonly readsBody: boolean;
  /** HTTP status that acknowledges notifications. */
  readonly acceptedStatus: number;
  /**
   * Whether a notification that is not genuine is answered with 404. Where one request carries notifications for several
   * channels it is ignored: the others may be genuine.
   */
  readonly rejectsForged: boolean;
  /**
   * Reads the text that has to be repeated to consent to a channel; null when the request is none for consent.
   * @throws DomainError ValidationFailed
   */
  consentText?(query: NotificationRequest['query']): string | null;
  /** Reads what no channel of ours can have sent as no notification. */
  read(request: NotificationRequest): ChannelNotification[];
}

/** Checks a definition, and infers the types of its settings. */
export function defineProvider<const S extends Settings>(definition: ProviderDefinition<S>): ProviderDefinition<S> {
  return definition;
}

/** The settings of the OAuth client that the installation shares, besides a tenant. `scopes`: what none means. */
export function oauthClientSettings(type: ProviderType, { scopes }: { scopes: string }) {
  const optional = (name: string, description: string): Setting<string | undefined> =>
    text(`${type}_${name}`, { description });
  return {
    clientId: optional('CLIENT_ID', `OAuth client for ${type} accounts of applications that have none of their own.`),
    clientSecret: optional('CLIENT_SECRET', 'Its secret.'),
    scopes: optional('SCOPES', `What it asks users for, separated by spaces. Empty: ${scopes}.`),
  };
}

const MAX_LOGIN = 320;
const MAX_SECRET = 4_096;
const MAX_URL = 2_048;
const MAX_EXTERNAL_ID = 255;

interface FieldDocumentation {
  description: string;
  example: string;
}

/** The login of an account: an email address or a user name. */
export const LoginField = (documentation: FieldDocumentation) => requiredText(MAX_LOGIN, documentation);
/** A password. */
export const SecretField = (documentation: FieldDocumentation) => requiredText(MAX_SECRET, documentation);
/** The address of a server or of a resource. */
export const AddressField = (documentation: FieldDocumentation) => requiredText(MAX_URL, documentation);

// Decorators apply from the last to the first where they are written one below another, here in order.
function requiredText(maxLength: number, documentation: FieldDocumentation): PropertyDecorator {
  return applyDecorators(
    MaxLength(maxLength),
    Matches(/\S/, { message: '$property must not be empty' }),
    IsString(),
    ApiProperty({ type: String, ...documentation, maxLength }),
  );
}

/** A text that may be left out or null. */
export function OptionalTextField(maxLength: number, documentation: FieldDocumentation): PropertyDecorator {
  const { description, example } = documentation;
  return applyDecorators(
    MaxLength(maxLength),
    IsString(),
    ValidateIf((_, value) => value !== undefined && value !== null),
    ApiPropertyOptional({ type: String, nullable: true, description, maxLength, example }),
  );
}

/** The body of a request to connect an account. A subclass declares those of the other fields that it takes. */
export class ConnectBody {
  @OptionalTextField(MAX_EXTERNAL_ID, {
    description: "Id of the user in the application's own system. Sets or replaces it; null removes it.",
    example: 'user-42',
  })
  externalId?: string | null;

  /** Login at the provider. */
  declare email?: string;
  declare password?: string;
  /** Address of the server of the account. */
  declare serverUrl?: string;
  /** Address of the calendar itself, which is a secret. */
  declare url?: string;
  /** What the account is called where the provider knows no name. */
  declare name?: string | null;
}
