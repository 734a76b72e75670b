import type { GraphApi, GraphHost } from '../contract.js';
import { SandboxGraphApi } from './graph-api.js';

export function createGraphApi(host: GraphHost): GraphApi {
  return new SandboxGraphApi(host);
}
