import { PathTemplates, type Routed as RoutedTo, type Route as RouteTo } from '../../http/path-templates.js';
import { allMethods, type MethodSpec } from './discovery.js';

export type Route = RouteTo<MethodSpec>;
export type Routed = RoutedTo<MethodSpec>;

const TEMPLATES = new PathTemplates(allMethods());

/** @param path below `/calendar/v3/`, still percent-encoded */
export function findRoute(httpMethod: string, path: string): Routed {
  return TEMPLATES.find(httpMethod, path);
}
