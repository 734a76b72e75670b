import type { Scripted } from './scripted-egress.js';

/** How a token endpoint fails to decide, and what is thrown. */
export const INDETERMINATE_RESPONSES: [string, Scripted, object][] = [
  ['429', { status: 429, headers: { 'retry-after': '7' } }, { code: 'ProviderRateLimited', retryAfterSeconds: 7 }],
  ['429 without a hint', { status: 429 }, { code: 'ProviderRateLimited', retryAfterSeconds: 10 }],
  ['503', { status: 503, headers: { 'retry-after': '3' } }, { code: 'ProviderUnavailable', retryAfterSeconds: 3 }],
  ['500 with a decision', { status: 500, json: { error: 'invalid_grant' } }, { code: 'ProviderUnavailable' }],
  ['HTML', { status: 400, text: '<html>' }, { code: 'ProviderUnavailable' }],
  ['HTML as success', { text: '<html>' }, { code: 'ProviderUnavailable' }],
  ['half of an answer', { text: '{"access_token":"ya' }, { code: 'ProviderUnavailable' }],
  ['no answer', 'timeout', { code: 'ProviderTimeout' }],
  ['no connection', 'connect', { code: 'ProviderUnavailable' }],
  ['no TLS', 'tls', { code: 'ProviderUnavailable' }],
];

/** Statuses and bodies that decide nothing about a grant, whatever words a provider has of its own. */
export const UNDECIDED: [number, Record<string, unknown> | null][] = [
  [200, null],
  [400, null],
  [400, {}],
  [400, { error: { code: 400 } }],
  [400, { error: 'two words' }],
  [400, { error: 'temporarily_unavailable' }],
  [400, { error: 'server_error' }],
  [404, { error: 'invalid_grant' }],
  [302, { error: 'invalid_grant' }],
];
