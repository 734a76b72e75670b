/** In capitals: `type` of each {@link ProviderView}. */
export type ProviderType = string;

/** How paths name a provider that users sign in at: its `slug`. */
export type OAuthProvider = string;

/** `GET /providers`: every provider, in the order in which they are shown. */
export interface ProviderView {
  type: ProviderType;
  /** How paths name it: the type in lower case. */
  slug: string;
  /** What people call it. */
  label: string;
  /** The path (`d`) of an SVG icon of 24 by 24, filled by the even-odd rule. */
  icon: string;
  authentication: 'oauth' | 'password' | 'url';
  /** Whether it reports changes by itself; else calendars are polled, where their application wants that. */
  reportsChanges: boolean;
  /** null: accounts connect without one. */
  oauthClient: OAuthClientFormView | null;
}

/** What an operator reads who registers an OAuth client. */
export interface OAuthClientFormView {
  /** Where, and as what; it follows "Register a client in the". */
  console: string;
  /** What the console calls the list that the callback URL goes into. */
  redirectName: string;
  /** What the tenant of a client restricts; null: clients have none. */
  tenant: string | null;
  defaultScopes: string[];
}
