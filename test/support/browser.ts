/** What a browser gets to see of an answer. */
export interface Visit {
  status: number;
  headers: Headers;
  /** Where it is sent; null: nowhere. */
  location: string | null;
  text: string;
}

/** A browser that keeps cookies and follows nothing by itself. */
export class Browser {
  /** By name. */
  readonly cookies = new Map<string, string>();

  /** Opens an address. `headers`: on top of what browsers send. */
  async visit(url: string | URL, headers: Record<string, string> = {}, method = 'GET'): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      text: await response.text(),
    };
  }
}
