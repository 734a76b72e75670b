/** A request as it came, body and all. */
export interface HttpRequest {
  method: string;
  /** Still percent-encoded. */
  path: string;
  query: URLSearchParams;
  /** Lower-case names; repeated ones joined by `, `. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** An answer of a provider's API, before it is written. */
export interface ApiAnswer {
  status: number;
  headers?: Record<string, string>;
  /** JSON; null: no body. */
  body: unknown;
}

/** @param indent spaces for each level; 0: one line */
export function jsonAnswer(
  status: number,
  value: unknown,
  { headers = {}, indent = 0 }: { headers?: Record<string, string>; indent?: number } = {},
): HttpAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-content-type-options': 'nosniff', ...headers },
    body: Buffer.from(`${JSON.stringify(value, null, indent)}\n`),
  };
}

export function emptyAnswer(status: number, headers: Record<string, string> = {}): HttpAnswer {
  return { status, headers, body: Buffer.alloc(0) };
}

/** 303: the browser goes on with a GET, whatever it came with (RFC 9110 §15.4.4). */
export function seeOther(location: string): HttpAnswer {
  return emptyAnswer(303, { location, 'cache-control': 'no-store' });
}

/** The media type of a body without its parameters, lower case; empty when the request does not say. */
export function mediaType({ headers }: HttpRequest): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** What a form posts; empty when the body is none. */
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
