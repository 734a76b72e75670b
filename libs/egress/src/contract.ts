/**
 * `configured`: from the operator's settings, so that the origin may be private and plain http. Never set for a URL
 * from a user or from a user's server.
 */
export type Trust = 'configured';

export interface OutboundRequest {
  method: string;
  url: string;
  trust?: Trust | undefined;
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** For the whole exchange including the body. */
  timeoutMs: number;
  /** Limit from sending the request to the first byte of the response, in ms; default 15 s, at most `timeoutMs`. */
  firstByteMs?: number;
  /** After decompression. */
  maxBytes: number;
  signal?: AbortSignal;
  /** Sends a `traceparent`. For our webhook receivers only, not for providers or servers of users. */
  sendsTraceparent?: boolean;
  /** Separates connection pools by account, so that credentials never mix on a connection. */
  poolKey?: string;
}

export interface OutboundResponse {
  status: number;
  /** Lower-case names; repeated ones joined by `, `. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Leaving `chunks` early destroys the connection. */
export interface OutboundStream extends Omit<OutboundResponse, 'body'> {
  chunks: AsyncIterable<Buffer>;
}

/**
 * Users must not learn which ports are open: callers map all failures to one message. `bad-url` includes requests that
 * HTTP cannot express, `invalid-response` bodies that contradict their encoding or length.
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
  | 'invalid-response';

/** The only way out of the process. Never follows redirects. @throws EgressError */
export abstract class Egress {
  abstract request(request: OutboundRequest): Promise<OutboundResponse>;
  abstract stream(request: OutboundRequest): Promise<OutboundStream>;
  /** Checks a URL (scheme, port, name, literal, all resolved addresses) without sending a request. */
  abstract check(url: string, trust?: Trust): Promise<void>;
  abstract close(): Promise<void>;
}
