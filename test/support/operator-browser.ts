import { callService, type Answer, type CallOptions, type Service } from './service.js';

const COOKIE = '__Secure-uc_operator';
const DEVICE_COOKIE = '__Secure-uc_device_';

/** A browser on the pages of the dashboard: keeps the cookies, and sends what those pages send. */
export class OperatorBrowser {
  /** The secret of the session; null: there is none. */
  secret: string | null = null;
  csrfToken = '';
  /** Of the last answer that set one. */
  setCookie = '';
  /** By which the service knows the device again, `name=value`; null: it has not signed in yet. */
  device: string | null = null;
  /** Of the last answer that set one. */
  setDeviceCookie = '';

  /** @param address where it is; the service has to trust one proxy */
  constructor(
    public service: Pick<Service, 'baseUrl' | 'env'>,
    public address = '203.0.113.1',
  ) {}

  /** `path` below `/api/operator/v1`. A header that is empty is left out. */
  async call<T = any>(method: string, path: string, { headers, ...options }: CallOptions = {}): Promise<Answer<T>> {
    const all: Record<string, string> = {
      'x-forwarded-for': this.address,
      cookie: [this.secret === null ? [] : `${COOKIE}=${this.secret}`, this.device ?? []].flat().join('; '),
      ...(method !== 'GET' && { origin: new URL(this.service.env['PUBLIC_URL']!).origin }),
      ...(method !== 'GET' && { 'x-csrf-token': this.csrfToken }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const route = `/operator/v1${path}`;
    const response = await callService<T>(this.service.baseUrl, '', method, route, {
      key: null,
      ...options,
      headers: sent,
    });
    const [cookie] = response.headers.getSetCookie().filter((text) => text.startsWith(`${COOKIE}=`));
    if (cookie !== undefined) {
      this.setCookie = cookie;
      this.secret = /^[^=]+=([^;]*)/.exec(cookie)?.[1] || null;
    }
    const [device] = response.headers.getSetCookie().filter((text) => text.startsWith(DEVICE_COOKIE));
    if (device !== undefined) {
      this.setDeviceCookie = device;
      this.device = device.split(';', 1)[0] ?? null;
    }
    const { csrfToken } = (response.body ?? {}) as { csrfToken?: unknown };
    if (typeof csrfToken === 'string') this.csrfToken = csrfToken;
    return response;
  }

  async signIn(email: string, password: string): Promise<Answer> {
    return this.call('POST', '/session', { body: { email, password } });
  }

  /** Whether it is signed in still. */
  async isIn(): Promise<boolean> {
    return (await this.call('GET', '/session')).status === 200;
  }
}
