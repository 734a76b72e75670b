import { parametersIn } from '../http/path-templates.js';
import { jsonResponse, mediaType, type HttpResponse, type HttpRequest } from '../http/message.js';
import { ControlFault, type Reader } from './input.js';

type PathParameters = Readonly<Record<string, string>>;

export interface ControlRoute {
  method: 'GET' | 'POST' | 'DELETE';
  /** `/google/users/{address}` */
  path: string;
  /** Returns the response body, or a promise of it. */
  run(input: unknown, path: PathParameters): unknown;
}

export function get(path: string, run: (path: PathParameters) => unknown): ControlRoute {
  return { method: 'GET', path, run: (_, parameters) => run(parameters) };
}

export function remove(path: string, run: (path: PathParameters) => unknown): ControlRoute {
  return { method: 'DELETE', path, run: (_, parameters) => run(parameters) };
}

/** @param read validates the body; an absent body counts as `{}` */
export function post<T>(path: string, read: Reader<T>, run: (input: T) => unknown): ControlRoute {
  return { method: 'POST', path, run: (input) => run(read(input, '')) };
}

/** JSON routes. An error is a sentence: `{ "error": "email must be an address." }`. */
export class ControlRoutes {
  constructor(private readonly routes: readonly ControlRoute[]) {}

  async answer(request: HttpRequest): Promise<HttpResponse> {
    try {
      rejectBrowsers(request);
      const { route, path } = this.#find(request);
      return jsonResponse(200, (await route.run(inputOf(request, route), path)) ?? {});
    } catch (error) {
      if (!(error instanceof ControlFault)) throw error;
      return jsonResponse(error.status, { error: error.message });
    }
  }

  #find({ method, path }: HttpRequest): { route: ControlRoute; path: PathParameters } {
    const fitting = this.routes.flatMap((route) => {
      const parameters = parametersIn(route.path, path);
      return parameters === null ? [] : [{ route, path: parameters }];
    });
    const found = fitting.find(({ route }) => route.method === method);
    if (found !== undefined) return found;
    if (fitting.length === 0) throw new ControlFault(404, 'There is no such control.');
    throw new ControlFault(405, `This control takes ${fitting.map(({ route }) => route.method).join(', ')}.`);
  }
}

/** A web page that a browser happens to open must not control the sandbox. */
function rejectBrowsers({ headers }: HttpRequest): void {
  const site = headers['sec-fetch-site'] ?? 'none';
  if (headers['origin'] !== undefined || site !== 'none') {
    throw new ControlFault(403, 'The controls are not for pages of a browser.');
  }
}

function inputOf(request: HttpRequest, { method }: ControlRoute): unknown {
  if ([...request.query].length > 0) throw new ControlFault(400, 'The controls take no query.');
  if (method !== 'POST' || request.body.length === 0) {
    if (request.body.length > 0) throw new ControlFault(400, `${method} takes no body.`);
    return {};
  }
  if (mediaType(request) !== 'application/json') throw new ControlFault(415, 'The body must be application/json.');
  try {
    return JSON.parse(request.body.toString('utf8'));
  } catch {
    throw new ControlFault(400, 'The body is no JSON.');
  }
}
