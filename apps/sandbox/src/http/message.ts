export interface HttpRequest {
  method: string;
  /** Percent-encoded. */
  path: string;
  query: URLSearchParams;
  /** Lower-case names; repeated ones joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A response of a provider's API before serialization. */
export interface ApiAnswer {
  status: number;
  headers?: Record<string, string>;
  /** JSON; null for no body. */
  body: unknown;
}

/** @param indent spaces per level; 0 for one line */
export function jsonResponse(
  status: number,
  value: unknown,
  { headers = {}, indent = 0 }: { headers?: Record<string, string>; indent?: number } = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
    body: Buffer.from(`${JSON.stringify(value, null, indent)}\n`),
  };
}

export function emptyResponse(status: number, headers: Record<string, string> = {}): HttpResponse {
  return { status, headers, body: Buffer.alloc(0) };
}

/** Makes the browser continue with a GET (RFC 9110 §15.4.4). */
export function seeOther(location: string): HttpResponse {
  return emptyResponse(303, { location, 'cache-control': 'no-store' });
}

/** Media type without parameters, lower case; empty without a header. */
export function mediaType({ headers }: HttpRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Form fields; empty for any other body. */
export function formOf(request: HttpRequest): URLSearchParams {
  const isForm = mediaType(request) === 'application/x-www-form-urlencoded';
  return new URLSearchParams(isForm ? request.body.toString('utf8') : '');
}

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1). */
export function bearerToken({ headers }: HttpRequest): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(headers['authorization'] ?? '')?.[1];
}

export function cookie({ headers }: HttpRequest, name: string): string | undefined {
  for (const pair of (headers['cookie'] ?? '').split(/[;,] */)) {
    const [key, value] = pair.split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
