/** As far as it is looked at here. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  readOnly?: boolean;
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>>;
  components: { schemas: Record<string, Schema> };
}

export interface NullCase {
  /** `start.date` */
  field: string;
  /** Whether the document allows null there. */
  isAllowed: boolean;
  body: unknown;
}

/** Bodies of an operation with null in one optional field each, however deep; read-only ones are not optional but ignored. */
export function nullsIn(document: Document, method: string, path: string, sample: object): NullCase[] {
  const schema = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
  if (schema === undefined) throw new Error(`${method} ${path} has no body`);
  const parts = (one: Schema): Schema[] => {
    const own = one.$ref === undefined ? one : document.components.schemas[one.$ref.split('/').at(-1) ?? '']!;
    return [own, ...[...(own.anyOf ?? []), ...(own.allOf ?? [])].flatMap(parts)];
  };
  const isNullable = (one: Schema) => parts(one).some(({ type }) => [type].flat().includes('null'));
  const within = (one: Schema, value: unknown, at: string, put: (changed: unknown) => unknown): NullCase[] => {
    if (Array.isArray(value)) {
      const items = parts(one).find((part) => part.items !== undefined)?.items;
      return items === undefined
        ? []
        : value.flatMap((item, index) =>
            within(items, item, `${at}.${index}`, (changed) => put(value.toSpliced(index, 1, changed))),
          );
    }
    if (typeof value !== 'object' || value === null) return [];
    const holder = parts(one).find((part) => part.properties !== undefined);
    return Object.entries(holder?.properties ?? {}).flatMap(([name, field]): NullCase[] => {
      if (field.readOnly === true) return [];
      const path = at === '' ? name : `${at}.${name}`;
      const change = (changed: unknown) => put({ ...value, [name]: changed });
      const isOptional = !(holder?.required ?? []).includes(name);
      return [
        ...(isOptional ? [{ field: path, isAllowed: isNullable(field), body: change(null) }] : []),
        ...within(field, (value as Record<string, unknown>)[name], path, change),
      ];
    });
  };
  const known = new Set(parts(schema).flatMap(({ properties }) => Object.keys(properties ?? {})));
  const body = Object.fromEntries(Object.entries(sample).filter(([name]) => known.has(name)));
  return within(schema, body, '', (changed) => changed);
}
