export { Egress } from './contract.js';
export type { EgressFailure, OutboundAnswer, OutboundRequest, OutboundStream } from './contract.js';
export { EgressError } from './errors.js';
