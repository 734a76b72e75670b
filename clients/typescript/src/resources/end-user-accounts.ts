import type { EndUserAccount } from '../generated/types.gen.js';
import type { Answer, Body, Call, Options, Params } from '../operation.js';
import { itemsOf, pagesOf } from '../pages.js';

/** Users' accounts at their providers. */
export class EndUserAccounts {
  constructor(private readonly call: Call) {}

  /** One page, newest accounts first. */
  list(
    params: Params<'listEndUserAccounts'> = {},
    options?: Options<'listEndUserAccounts'>,
  ): Promise<Answer<'listEndUserAccounts'>> {
    return this.call('listEndUserAccounts', { params }, options);
  }

  pages(
    params: Omit<Params<'listEndUserAccounts'>, 'pageToken'> = {},
    options?: Options<'listEndUserAccounts'>,
  ): AsyncGenerator<Answer<'listEndUserAccounts'>, void, undefined> {
    return pagesOf((pageToken) => this.list({ ...params, pageToken }, options));
  }

  listAll(
    params: Omit<Params<'listEndUserAccounts'>, 'pageToken'> = {},
    options?: Options<'listEndUserAccounts'>,
  ): AsyncGenerator<EndUserAccount, void, undefined> {
    return itemsOf(this.pages(params, options));
  }

  get(params: Params<'getEndUserAccount'>, options?: Options<'getEndUserAccount'>): Promise<EndUserAccount> {
    return this.call('getEndUserAccount', { params }, options);
  }

  /** Tokens of GOOGLE and MICROSOFT accounts. Needs the scope `credentials:read`. */
  credentials(
    params: Params<'getEndUserAccountCredentials'>,
    options?: Options<'getEndUserAccountCredentials'>,
  ): Promise<Answer<'getEndUserAccountCredentials'>> {
    return this.call('getEndUserAccountCredentials', { params }, options);
  }

  /** Connects an account, or replaces the credentials of the one that there is. */
  upsert(body: Body<'upsertEndUserAccount'>, options?: Options<'upsertEndUserAccount'>): Promise<EndUserAccount> {
    return this.call('upsertEndUserAccount', { body }, options);
  }

  /** Where one user can connect a GOOGLE or MICROSOFT account, once, with everything fixed that is given here. */
  authorizationUrl(
    body: Body<'createAuthorizationUrl'>,
    options?: Options<'createAuthorizationUrl'>,
  ): Promise<Answer<'createAuthorizationUrl'>> {
    return this.call('createAuthorizationUrl', { body }, options);
  }

  /** Where one user can connect one account of any provider, at a page of the service. */
  connectLink(
    body: Body<'createConnectLink'> = {},
    options?: Options<'createConnectLink'>,
  ): Promise<Answer<'createConnectLink'>> {
    return this.call('createConnectLink', { body }, options);
  }

  /** Connects an Apple account with an app-specific password. */
  connectApple(
    params: Params<'connectApple'>,
    body: Body<'connectApple'>,
    options?: Options<'connectApple'>,
  ): Promise<EndUserAccount> {
    return this.call('connectApple', { params, body }, options);
  }

  /** Connects an account at a CalDAV server. */
  connectCalDav(
    params: Params<'connectCalDav'>,
    body: Body<'connectCalDav'>,
    options?: Options<'connectCalDav'>,
  ): Promise<EndUserAccount> {
    return this.call('connectCalDav', { params, body }, options);
  }

  /** Connects a calendar feed: iCalendar under an address, which is read alone. */
  connectIcs(
    params: Params<'connectIcs'>,
    body: Body<'connectIcs'>,
    options?: Options<'connectIcs'>,
  ): Promise<EndUserAccount> {
    return this.call('connectIcs', { params, body }, options);
  }

  delete(
    params: Params<'deleteEndUserAccount'>,
    options?: Options<'deleteEndUserAccount'>,
  ): Promise<Answer<'deleteEndUserAccount'>> {
    return this.call('deleteEndUserAccount', { params }, options);
  }
}
