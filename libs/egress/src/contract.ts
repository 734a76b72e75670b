/**
 * Whose word a URL is. `configured`: the operator's, so that an origin which he configured (of a provider, the OIDC issuer,
 * Svix) may be private and plain http. A URL that a user, or a server of his, has named is never asked for with it.
 */
export type Trust = 'configured';

/** One outbound request. */
export interface OutboundRequest {
  method: string;
  url: string;
  trust?: Trust | undefined;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Wall-clock limit for the whole exchange, body included, milliseconds. */
  timeoutMs: number;
  /** Limit from sending the request to the first byte of the answer, milliseconds; default 15 s, at most `timeoutMs`. */
  firstByteMs?: number;
  /** Largest answer accepted after decompression, bytes. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Whether who is asked gets the `traceparent`: our receivers do; providers, and servers of users, are told nothing. */
  tellsTrace?: boolean;
  /** Separates connection pools of different accounts (no credentials mix on one connection). */
  poolKey?: string;
}

export interface OutboundAnswer {
  status: number;
  /** Lower-case names; repeated ones joined by `, `. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Answer whose body is read piece by piece; destroyed when `chunks` is not read to its end. */
export interface OutboundStream {
  status: number;
  headers: Record<string, string>;
  chunks: AsyncIterable<Buffer>;
}

/**
 * Why a request did not get an answer. Never tells open from closed ports to a user: callers map all to one message.
 * `bad-url`: scheme, port, userinfo, fragment, or a request that HTTP cannot express. `bad-answer`: something came that
 * is not HTTP, or a body that its encoding or length belies. `aborted`: by the caller's signal, or by `close()`.
 */
export type EgressFailure =
  | 'address-blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too-large'
  | 'reset'
  | 'aborted'
  | 'bad-url'
  | 'bad-answer';

/**
 * The only way out of the process. Redirects are never followed here: callers decide hop by hop.
 * @throws EgressError
 */
export abstract class Egress {
  abstract request(request: OutboundRequest): Promise<OutboundAnswer>;
  abstract stream(request: OutboundRequest): Promise<OutboundStream>;
  /** Judges a URL (scheme, port, name, literal, every address it resolves to) without sending anything. */
  abstract check(url: string, trust?: Trust): Promise<void>;
  abstract close(): Promise<void>;
}
