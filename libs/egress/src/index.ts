export { Egress } from './contract.js';
export type { EgressFailure, OutboundAnswer, OutboundRequest, OutboundStream, Trust } from './contract.js';
export { EgressError } from './errors.js';
export { GuardedEgress } from './guarded-egress.js';
export type { GuardedEgressOptions } from './guarded-egress.js';
export { DEFAULT_LIMITS } from './limits.js';
export type { EgressLimits } from './limits.js';
export type { Resolver } from './resolver.js';
export { parseRetryAfter } from './retry-after.js';
