export { SealedTokens, SealingKeys } from './sealed-tokens.js';
