import type { ApiAnswer, HttpResponse } from '../http/message.js';
import { anything, ControlFault, map, object, optional, text, type Reader } from './input.js';
import { post, type ControlRoute } from './routes.js';

/** A call of a provider's API on behalf of one of its users. */
export interface Act<User> {
  user: User;
  methodId: string;
  path: Record<string, string>;
  query: URLSearchParams;
  body: Record<string, unknown> | null;
  /** Lower-case names. */
  headers: Record<string, string>;
}

interface ActDeps<User> {
  /** Name in messages: `Google`. */
  provider: string;
  address: Reader<string>;
  methodId: Reader<string>;
  /** @throws ControlFault for an unknown address */
  userOf: (address: string) => User;
  /** Returns the path parameters of a method; undefined for an unknown method. */
  pathParametersOf: (methodId: string) => readonly string[] | undefined;
  /** Runs the call with every scope. @param note receives violations by the client */
  carryOut: (act: Act<User>, note: (message: string) => void) => ApiAnswer | Promise<ApiAnswer>;
  /** Converts the provider's refusals to responses; null for any other error. */
  refusalOf: (error: unknown) => HttpResponse | null;
}

/** `…/act` of a provider. A refusal by the provider is a response, not an error. */
export function actControl<User>(prefix: string, deps: ActDeps<User>): ControlRoute {
  const { provider, address, methodId, userOf, pathParametersOf, carryOut, refusalOf } = deps;
  const input = object({
    ...{ email: address, methodId, path: optional(map(text)), query: optional(map(anything)) },
    ...{ body: optional(map(anything)), headers: optional(map(text)) },
  });
  return post(
    `${prefix}/act`,
    input,
    async ({ email, path = {}, query = {}, body = null, headers = {}, ...method }) => {
      const names = pathParametersOf(method.methodId);
      const user = userOf(email);
      if (names === undefined) throw new ControlFault(400, `methodId ${method.methodId} is unknown.`);
      if (Object.keys(path).sort().join() !== [...names].sort().join()) {
        throw new ControlFault(400, `path must have ${names.join(', ') || 'nothing'}.`);
      }
      const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const act = { ...method, user, path, query: searchParameters(query), body, headers: lowered };
      const objections: string[] = [];
      try {
        const response = await carryOut(act, (message) => objections.push(message));
        if (objections.length === 0) return { status: response.status, body: response.body };
      } catch (error) {
        const rejection = refusalOf(error);
        if (rejection === null) throw error;
        return { status: rejection.status, body: JSON.parse(rejection.body.toString('utf8')) as unknown };
      }
      throw new ControlFault(400, `Done, but not as ${provider} wants it: ${objections.join('; ')}.`);
    },
  );
}

function searchParameters(query: Record<string, unknown>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]),
    ),
  );
}
