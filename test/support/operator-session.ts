import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { OperatorRole } from '#domain/operator';
import { asAdmin } from './postgres.js';
import { callService, type Answer, type CallOptions, type Service } from './service.js';

/** A browser that an operator is logged in with. */
export interface OperatorSession {
  email: string;
  /** `name=value` */
  cookie: string;
  /** Below `/api/operator/v1`, with everything that a page of the dashboard sends. */
  call<T = any>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
}

/** Another operator with a session, written where logins write it: how one logs in is for other tests. */
export async function operatorSession(
  { adminDatabaseUrl, baseUrl, env }: Pick<Service, 'adminDatabaseUrl' | 'baseUrl' | 'env'>,
  role: OperatorRole = 'admin',
): Promise<OperatorSession> {
  const [id, secret] = [randomUUID(), randomBytes(32).toString('base64url')];
  const email = `${role}-${id}@example.com`;
  const cookie = `__Secure-uc_operator=${secret}`;
  await asAdmin(adminDatabaseUrl, async (admin) => {
    await admin.query(`insert into operator (id, email, name, role, created_at) values ($1, $2, 'Ada', $3, now())`, [
      id,
      email,
      role,
    ]);
    await admin.query(
      `insert into operator_session (secret_hash, operator_id, created_at, idle_until, ends_at)
       values ($1, $2, now(), now() + interval '10 minutes', now() + interval '1 hour')`,
      [hash('sha256', secret, 'buffer'), id],
    );
  });
  const send = <T>(method: string, path: string, { headers, ...options }: CallOptions): Promise<Answer<T>> => {
    const all = { cookie, ...headers };
    return callService<T>(baseUrl, '', method, `/operator/v1${path}`, { key: null, ...options, headers: all });
  };
  const session = await send<{ csrfToken: string }>('GET', '/session', {});
  if (session.status !== 200) throw new Error(`there is no session: ${session.status} ${JSON.stringify(session.body)}`);
  const ours = { origin: new URL(env['PUBLIC_URL']!).origin, 'x-csrf-token': session.body.csrfToken };
  return {
    email,
    cookie,
    call: (method, path, { headers, ...options } = {}) =>
      send(method, path, { ...options, headers: { ...(method === 'GET' ? {} : ours), ...headers } }),
  };
}
