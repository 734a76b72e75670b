import { ApiError, type FieldError } from './api-error.js';
import { isUserActive } from './user-activity.js';
import { askForReauthentication } from './reauthentication.js';
import { currentSession, endSession } from './session-query.js';

const BASE = '/api/operator/v1';

export type QueryValue = string | number | boolean | null | undefined;
/** Empty values are omitted. */
export type Query = Record<string, QueryValue>;

/** Sends requests to `/api/operator/v1`. Rejects with {@link ApiError}, except for aborted requests. */
export const api = {
  get: <T>(path: string, query?: object, signal?: AbortSignal) =>
    request<T>('GET', `${path}${queryString(query)}`, undefined, signal),
  post: <T = void>(path: string, body: object = {}) => request<T>('POST', path, body),
  put: <T = void>(path: string, body: object = {}) => request<T>('PUT', path, body),
  patch: <T = void>(path: string, body: object = {}) => request<T>('PATCH', path, body),
  delete: <T = void>(path: string) => request<T>('DELETE', path),
};

export function segment(value: string): string {
  return encodeURIComponent(value);
}

function queryString(query: object = {}): string {
  const given = Object.entries(query as Query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Repeats the request after a reauthentication that the API demands. */
async function request<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  try {
    return await requestOnce<T>(method, path, body, signal);
  } catch (error) {
    const isWanted = error instanceof ApiError && error.code === 'ReauthenticationRequired';
    if (!isWanted || !(await askForReauthentication())) throw error;
    return requestOnce<T>(method, path, body, signal);
  }
}

async function requestOnce<T>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<T> {
  const session = currentSession();
  const response = await send(path, {
    method,
    signal: signal ?? null,
    credentials: 'same-origin',
    redirect: 'error',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && session && { 'x-csrf-token': session.csrfToken }),
      ...(!isUserActive() && { 'x-unattended': 'true' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  if (response.ok) return (await bodyOf(response)) as T;
  // Ends the session on 401, unless the session was renewed during the request.
  if (response.status === 401 && session && session.csrfToken === currentSession()?.csrfToken) endSession();
  throw await errorOf(response);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${BASE}${path}`, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, 'Unreachable', 'The service cannot be reached. Is it running, and is this machine online?');
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(response);
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const envelope: unknown = await bodyOf(response);
  if (!isEnvelope(envelope)) return unreadable(response);
  const { code, message, details = [], requestId } = envelope;
  return new ApiError(response.status, code, message, details, requestId);
}

interface Envelope {
  code: string;
  message: string;
  requestId: string;
  details?: FieldError[];
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value && 'requestId' in value;
}

/** A proxy sent a response of its own. */
function unreadable(response: Response): ApiError {
  const message = `Something between this page and the service answered ${response.status}. Try again in a moment.`;
  return new ApiError(response.status, 'Unreadable', message);
}
