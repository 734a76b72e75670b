import { AccountTaken } from '../accounts.js';
import { ACCESS_TOKEN_SECONDS, type Grants } from '../oauth/grants.js';
import { ControlFault, list, object, optional, text, type Reader } from './input.js';
import { get, post, remove, type ControlRoute } from './routes.js';

/** A provider's clients and grants, for its controls. */
export interface Consents<User> {
  clients: { find(clientId: string): unknown; delete(clientId: string): boolean };
  grants: Grants<User>;
  /** @throws ControlFault for an unknown address */
  userOf: (address: string) => User;
  address: Reader<string>;
  scope: Reader<string>;
  allScopes: readonly string[];
}

/** @throws ControlFault */
export function requireClient({ clients }: Pick<Consents<unknown>, 'clients'>, clientId: string): void {
  if (clients.find(clientId) === undefined) throw new ControlFault(404, `There is no client ${clientId}.`);
}

/** @throws ControlFault for an unknown address */
export function requireUser<User>(users: { find(address: string): User | undefined }, address: string): User {
  const user = users.find(address);
  if (user === undefined) throw new ControlFault(404, `${address} has no account.`);
  return user;
}

/** `…/users` of a provider. @param newUser reads the fields of a new user */
export function userControls<New, User>(
  prefix: string,
  provider: { users: { all(): User[] }; addUser(user: New): User; removeUser(address: string): boolean },
  newUser: Reader<New>,
): ControlRoute[] {
  return [
    get(`${prefix}/users`, () => provider.users.all()),
    post(`${prefix}/users`, newUser, (user) => {
      try {
        return provider.addUser(user);
      } catch (error) {
        if (error instanceof AccountTaken) throw new ControlFault(409, `${error.message}.`);
        throw error;
      }
    }),
    remove(`${prefix}/users/{address}`, ({ address = '' }) => {
      if (!provider.removeUser(address)) throw new ControlFault(404, `${address} has no account.`);
    }),
  ];
}

/** Controls of grants and their tokens. */
export function grantControls<User>(prefix: string, consents: Consents<User>): ControlRoute[] {
  const { clients, grants, userOf, address, scope, allScopes } = consents;
  return [
    remove(`${prefix}/clients/{id}`, ({ id = '' }) => {
      if (!clients.delete(id)) throw new ControlFault(404, `There is no client ${id}.`);
    }),
    post(`${prefix}/grants`, object({ email: address, clientId: text, scopes: list(scope) }), (input) => {
      requireClient(consents, input.clientId);
      const scopes = new Set(input.scopes);
      // The client counts as having asked for every scope, so a missing one is no violation.
      const grant = grants.extend(userOf(input.email), input.clientId, scopes, allScopes);
      return {
        accessToken: grants.issueAccessToken(grant, scopes, true),
        refreshToken: grants.issueRefreshToken(grant, scopes),
        expiresIn: ACCESS_TOKEN_SECONDS,
      };
    }),
    post(`${prefix}/grants/revoke`, object({ email: address, clientId: optional(text) }), (input) => ({
      revoked: grants.revoke(userOf(input.email), input.clientId),
    })),
    post(`${prefix}/grants/unlink`, object({ email: address, clientId: text, scopes: list(scope) }), (input) => {
      const grant = grants.find(userOf(input.email), input.clientId);
      if (grant === undefined) throw new ControlFault(404, `${input.email} has allowed ${input.clientId} nothing.`);
      for (const name of input.scopes) grant.scopes.delete(name);
      return { scopes: [...grant.scopes] };
    }),
    post(`${prefix}/tokens/expire`, object({ email: optional(address) }), (input) => ({
      expired: grants.expireAccessTokens(input.email === undefined ? undefined : userOf(input.email)),
    })),
  ];
}
