export { CreateKey, type ScopeChoice } from './create-key.js';
export { byUrgency, expiryState, keyState } from './key-expiry.js';
export { RevokeKey } from './revoke-key.js';
export { EndingKeys, KeyExpiry } from './key-expiry-note.js';
