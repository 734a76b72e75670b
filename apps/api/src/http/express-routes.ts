/** What Express' router knows of a route. */
export interface ExpressRoute {
  matches: (path: string) => boolean;
  route: { path: unknown; methods: Record<string, boolean> };
}

interface Layer {
  match(path: string): boolean;
  route?: ExpressRoute['route'];
}

/** The routes of an Express application, in their order; the rest of its stack is left out. */
export function routesOf(express: unknown): ExpressRoute[] {
  const { router } = express as { router: { stack: Layer[] } };
  return router.stack.flatMap((layer) =>
    layer.route === undefined ? [] : [{ route: layer.route, matches: (path) => layer.match(path) }],
  );
}
